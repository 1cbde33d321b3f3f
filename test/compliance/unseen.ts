/**
 * Descriptions of systems with the class that their author gives them, written before there was a lexicon and never changed for it.
 * `of`: the provision: a point of Annex III, of Article 5(1), or a paragraph of Article 50.
 */
export type Described = {
  level: "PROHIBITED" | "HIGH" | "LIMITED" | "MINIMAL" | "UNDETERMINED";
  of?: string;
  text: string;
};

const high = (of: number, ...texts: string[]): Described[] =>
  texts.map((text) => ({ level: "HIGH", of: String(of), text }));
const prohibited = (of: string, ...texts: string[]): Described[] =>
  texts.map((text) => ({ level: "PROHIBITED", of, text }));
const limited = (of: string, ...texts: string[]): Described[] =>
  texts.map((text) => ({ level: "LIMITED", of, text }));
const plain = (level: "MINIMAL" | "UNDETERMINED", ...texts: string[]): Described[] =>
  texts.map((text) => ({ level, text }));

export const unseen: readonly Described[] = [
  ...high(
    1,
    "Cameras at the stadium gates compare every visitor's face with a gallery of banned fans and alert the stewards when somebody on it walks in.",
    "Software that recognises people by their gait in CCTV footage recorded at a shopping centre, so that repeat visitors can be identified later.",
    "A system which estimates from the voice of a caller whether that person is angry, afraid or sad, for use by a crisis line.",
    "We sort customers entering our shops into ethnic and age groups from camera images.",
    "Identifies unknown persons in hours of video after the fact by matching faces against a police photo archive.",
    "A headset app for cinemas that infers viewers' emotions from facial expressions and heart rate during test screenings.",
    "Remote iris identification at a distance of ten metres for passengers moving through a terminal.",
  ),
  ...high(
    2,
    "Controls the valves and pumps of a city's drinking water network and shuts sections down when pressure drops.",
    "An agent that balances load on the electricity grid and disconnects feeders to keep the network stable.",
    "Adaptive traffic light control for the main roads of a city, reacting to congestion in real time as part of its road traffic safety management.",
    "Monitors gas pipeline pressure and triggers emergency shut-off without an operator.",
    "Safety component for a district heating plant: predicts dangerous pressure and opens relief valves.",
    "Manages failover and protection of a national internet exchange and its data centre power, as critical digital infrastructure.",
    "Detects leaks of chlorine at a water treatment plant and automatically isolates tanks.",
  ),
  ...high(
    3,
    "Grades final exam essays of secondary school pupils and proposes the mark that goes on the certificate.",
    "Decides which applicants are admitted to a university programme from their transcripts and motivation letters.",
    "Webcam proctoring which flags cheating by students during online exams.",
    "Assigns children to vocational or academic tracks on the basis of their test results.",
    "An adaptive tutor that evaluates learning outcomes and steers what each pupil is taught next.",
    "Ranks kindergarten places: a model scores families' applications for admission to public nurseries.",
    "Determines which level of language course a migrant student will be allowed to take at the college.",
  ),
  ...high(
    4,
    "Reads CVs and gives each candidate a score from 1 to 100 so that recruiters only phone the best twenty.",
    "Our agent posts job adverts on social networks and targets them at people who are likely to be a good fit.",
    "Video interviews are analysed for word choice and confidence, and a hiring recommendation is produced.",
    "Allocates delivery shifts to couriers according to their past behaviour and personal traits.",
    "Tracks what warehouse workers do each minute and proposes who should get a warning or be let go.",
    "Helps HR choose whom to promote by predicting the future performance of employees.",
    "Freelancers on the platform are ranked and their accounts closed automatically when their rating model drops below a limit.",
  ),
  ...high(
    5,
    "Works out how likely a private person is to repay a loan and sets the limit of the card.",
    "Decides whether a household qualifies for housing benefit and flags cases for withdrawal of payments.",
    "Calculates premiums for life insurance from the medical history of each applicant.",
    "Triage of incoming 112 calls: the model decides which ambulance goes first.",
    "Prices private health cover for individuals using wearable data.",
    "A bot of the social security office which reviews unemployment claims and recommends refusal.",
    "Consumer credit scoring with bank statement data for buy-now-pay-later customers.",
  ),
  ...high(
    6,
    "Estimates for the police how likely a released offender is to commit another offence, using case files together with an officer's assessment.",
    "A tool with which detectives judge how reliable pieces of evidence are in a criminal investigation.",
    "Polygraph software for interrogations by law enforcement.",
    "Predicts which persons may become victims of domestic violence so that police can contact them.",
    "Profiles suspects from seized phones in the course of the detection of criminal offences for the prosecutor's office.",
    "Ranks tips received by a police hotline by credibility of the evidence offered.",
    "Helps customs police find members of smuggling gangs by profiling people during an investigation.",
  ),
  ...high(
    7,
    "Assesses visa applications and assigns each traveller a security risk.",
    "Helps caseworkers examine asylum claims and checks how credible the statements are.",
    "Lie detection for travellers interviewed at the border.",
    "Face matching of people crossing the green border in order to identify irregular migrants.",
    "Predicts whether a person applying for a residence permit will overstay.",
    "Scores the health risk of migrants who want to enter the country.",
    "Dialect analysis of asylum seekers to tell where they come from, used in the decision on protection.",
  ),
  ...high(
    8,
    "Suggests judgments to judges by researching the facts and the law and applying it to the case at hand.",
    "An arbitration engine which decides disputes between consumers and shops and issues binding awards.",
    "Selects voters on social media and shows them messages designed to influence how they vote in a referendum.",
    "Drafts sentencing recommendations for a criminal court.",
    "Micro-targets citizens with political content to change voting behaviour before the election.",
    "Assists the court in interpreting statutes and proposes the outcome of claims.",
    "Automated mediation that proposes legally binding settlements after weighing the facts of both parties.",
  ),
  ...prohibited(
    "a",
    "Plays inaudible cues under music in a shop so that customers buy what they did not mean to, to their considerable harm.",
  ),
  ...prohibited(
    "b",
    "A talking toy which uses the trust of small children to get them to do dangerous dares.",
    "Finds pensioners with dementia and persuades them to sign up for expensive contracts.",
  ),
  ...prohibited(
    "c",
    "Gives every citizen points for their behaviour in daily life, and those with few points are refused public services.",
    "Rates tenants' trustworthiness from their social life and online posts across years and denies them unrelated services.",
  ),
  ...prohibited("d", "Predicts from personality traits alone who will become a criminal."),
  ...prohibited(
    "e",
    "Crawls social networks and CCTV to collect as many face pictures as possible for a face recognition database.",
  ),
  ...prohibited(
    "f",
    "Watches the faces of call centre staff to see whether they are happy at work.",
    "Detects boredom and other emotions of pupils in the classroom through cameras.",
  ),
  ...prohibited("g", "Infers from a portrait whether somebody is gay or which party they support."),
  ...prohibited(
    "h",
    "Live face recognition over all cameras of the city centre for the police to find people they look for.",
  ),
  ...prohibited("ba", "Upload a photo of a woman and the app removes her clothes and shows her naked."),
  ...limited(
    "1",
    "A chatbot on our website answers questions about opening hours and parcels.",
    "Voice assistant that takes table reservations for restaurants over the phone.",
    "An avatar which talks to museum visitors about the paintings.",
    "A companion that chats with users about films.",
    "Customers can ask our virtual agent about their invoices in natural language.",
  ),
  ...limited(
    "2",
    "Generates pictures from a text prompt for advertising posters.",
    "Writes blog posts and product texts with a large language model.",
    "Clones a narrator's voice to produce audiobooks.",
    "Makes short videos out of slides, with a synthetic presenter.",
    "Composes background music on request.",
  ),
  ...limited(
    "4",
    "Swaps the face of an actor in a film with that of another, so that it looks real.",
    "Creates deepfakes of historical persons for a documentary.",
    "Produces news articles about local politics, which are published without an editor.",
    "Generates realistic speeches of a politician for a satire show.",
  ),
  ...plain(
    "MINIMAL",
    "Filters spam out of a mailbox.",
    "Predicts how many pallets of wood pellets will be sold next month.",
    "Recommends songs that are like those somebody has listened to.",
    "Finds the shortest route for a delivery van.",
    "Controls the enemies in a computer game.",
    "Corrects spelling and grammar in a text editor.",
    "Sorts holiday photos by place and date.",
    "Answers which CN code a product description most likely belongs to, for an importer's bookkeeping.",
    "Forecasts hourly temperature in a greenhouse and suggests when to open windows.",
    "Detects scratches on painted metal parts on a production line.",
    "Deduplicates product records in a shop's catalogue.",
    "Compares trade statistics of two countries and marks months that look unusual.",
    "Compresses images for web pages.",
    "Suggests code completions to programmers.",
    "Estimates the yield of a wheat field from satellite images.",
    "Schedules maintenance of a printing press from vibration data.",
    "Transcribes meetings into minutes for internal use.",
    "Optimises the layout of parcels in a truck.",
    "Looks up exchange rates and converts invoices to euros.",
    "Removes noise from audio recordings.",
    "Recognises the breed of a dog in a photo.",
    "Searches the documents of a company for a given topic.",
    "Plans irrigation of a vineyard by soil moisture.",
    "Predicts the price of copper for a trading desk's weekly report.",
  ),
  ...plain(
    "UNDETERMINED",
    "An AI agent that helps our company.",
    "Makes decisions about people using machine learning.",
    "A platform with many features for various industries.",
    "Our system uses neural networks and big data to improve outcomes.",
    "It evaluates persons and returns a number.",
    "Ein System, das Bewerber nach ihrem Lebenslauf sortiert.",
    "Ce logiciel décide qui reçoit un crédit.",
    'The product is called "CV Ranker".',
    "It does not rank job applicants.",
    "Analyses video.",
    "Agent for data processing and automation of workflows in the public sector.",
    "Система оценивает кандидатов на работу.",
    "Scores customers.",
    "Monitors employees' doors and lights, or maybe more, as configured by the customer.",
  ),
];
