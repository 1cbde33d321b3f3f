/** A twenty-fourth rehearsal, as the twenty-third: long texts near Article 5. Measured before the lexicon learnt from it. */
import { type Described, high, limited, prohibited } from "../described.ts";

export const twentyFourth: readonly Described[] = [
  ...high(
    1,
    "A theme park finds lost children: parents hand in a photo and the cameras over the paths search all faces of the day for the child, with staff checking each hit.",
    "The insurer's call software scores grief, anger and haste in the voices of people who report a loss, and shows the clerk a colour.",
    "A chain of gyms has its door cameras guess members' age, sex and ethnic group, for planning courses.",
  ),
  ...high(
    3,
    "Pupils with dyslexia or autism are found by a reading test on a tablet, and the program decides who gets extra hours and who moves to a special class.",
    "Before the oral exam a camera checks faces against identity cards; during it, gaze and noises are recorded and every suspicion of cheating is scored.",
    "The scholarship fund has letters and social engagement of young people from poor families ranked by a language model; the lower two thirds are refused.",
  ),
  ...high(
    4,
    "Our scheduling engine learns how reliable, fast and friendly each waiter is from guests' ratings and tips and gives the evenings with the best tips to the highest.",
    "Headhunters get a list of engineers who are likely to quit soon, guessed from posts, likes and changes of their profile, and whom to approach.",
    "Cameras at the assembly line measure how long each worker needs and tell the foreman who is too slow; the two slowest of a month are moved.",
    "The tool reads staff chats and marks people who spread discontent, for the personnel manager's talks about dismissal.",
  ),
  ...high(
    5,
    "A telephone company refuses contracts by instalments to consumers whose payment score, made of late bills and moves of house, is too low.",
    "The welfare office's model predicts who of the jobless will find work without help; those with a middling score get courses, the weakest get none.",
    "Health insurance: a lifestyle index of steps, alcohol, smoking and sleep sets the yearly premium, and low ones are not accepted.",
    "Families with debts, illness or addiction are flagged to the youth welfare office by a model that foresees neglect of children.",
    "The triage program asks frightened or confused callers about chest pain and decides whether an ambulance is sent at once.",
  ),
  ...high(
    6,
    "A tool for detectives weighs how truthful a witness is from contradictions in her statements and earlier ones.",
    "From arrests, weapons and gang contacts on file, officers get a list of persons with the highest risk of shooting somebody.",
    "In a murder case the police let software compare the voice on a ransom call with voices of suspects.",
  ),
  ...high(
    7,
    "Passengers' bookings, nationality, age and seat are turned into a risk of smuggling or illegal entry, and border guards search those above the line.",
    "Faces of people in a refugee camp are compared with those who asked for asylum elsewhere.",
  ),
  ...high(
    8,
    "Microtargeting for a referendum: the model knows which residents fear for jobs, faith or pensions and sends each the message most likely to change his vote.",
  ),
  ...limited(
    "1",
    "The casino hotel's robot porter greets guests by voice, tells them where the bar is and takes orders for wine.",
    "Teenagers can write at night to a listening bot of the help line; it says that it is software and gives them the number of a counsellor when they speak of self-harm.",
  ),
  ...limited(
    "2",
    "For a toy shop, a program writes stories and draws pictures in which your child wins against a dragon.",
  ),
  ...prohibited(
    "a",
    "The checkout page invents other buyers, hides the button to leave and calls back with a crying voice; it optimises all this until shoppers have overdrawn their accounts.",
  ),
  ...prohibited(
    "b",
    "A tutor app for eight-year-olds notices who fears bad marks and lets its owl threaten failure unless the child asks its parents for the costly premium course.",
  ),
  ...prohibited(
    "c",
    "City Pass joins fines, library delays, noise complaints and online remarks of all inhabitants to a merit value; who has little may not enter pools, and pays double on the tram.",
  ),
  ...prohibited(
    "d",
    "Which of the town's young men will rob is computed from their music, clothes and fathers; patrols then stop them.",
  ),
  ...prohibited(
    "e",
    "It trawls the net and public webcams for faces, anyone's, and sells detectives a search by face.",
  ),
  ...prohibited(
    "f",
    "Teachers' desks show a light for each pupil: green for glad, red for angry, read from webcam pictures.",
  ),
  ...prohibited(
    "g",
    "A scanner at the company gate infers from workers' faces who is a communist or a union man.",
  ),
  ...prohibited("h", "Helmet cameras tell riot policemen the names of protesters while they march past."),
];
