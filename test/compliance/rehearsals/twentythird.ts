/** A twenty-third rehearsal: long texts that have many words of Article 5 and are not forbidden by it, and some that are. Measured before the lexicon learnt from it. */
import { type Described, high, limited, plain, prohibited } from "../described.ts";

export const twentyThird: readonly Described[] = [
  ...high(
    1,
    "Airports and stadiums buy our camera software to find banned visitors: every face in the queue is compared with the operator's own list, and a steward is told who must not enter. The police have no access, and nobody is followed beyond the gate.",
    "For cinemas: an infrared camera films the audience during trailers, a network estimates fear, laughter and boredom seat by seat, and the studio receives a curve. Spectators have agreed to it with their ticket.",
    "After a jewellery robbery detectives upload stills from the shop's recording; the program compares the masked men's gait and faces with recordings of other robberies and the register of convicted persons, days or weeks later.",
    "Our voice analytics tells the bank's hotline how irritated or desperate a customer sounds, so that angry callers are put through to a senior adviser at once.",
    "Licensed portraits of models are sorted by sex, age and skin tone to test whether a face recognition product treats all groups alike; it then does so with shop visitors, for advertising.",
  ),
  ...high(
    3,
    "The online university watches every candidate by webcam and microphone through the exam. Looking away, whispering or a second face lowers a trust score, and under 60 points the attempt is not counted.",
    "Each spring a model sums up marks, absences, behaviour and the teacher's remarks of every child of ten and recommends grammar school or not; parents may object within a week.",
    "It predicts which freshmen are going to give up their studies, from log-ins, unpaid fees and library loans, and the dean decides whom to offer a tutor.",
  ),
  ...high(
    4,
    "A parcel firm has drivers followed by GPS and camera: late stops, harsh braking and complaints give minus points, and with too few points a driver gets the worse rounds or is dismissed.",
    "Candidates talk to a recorded interviewer. The words of their answers, not voice or face, are scored for honesty, loyalty and ambition; the lower half gets a refusal overnight.",
    "From calendar entries, chats and badge times our tool computes an engagement value for each employee and tells management whose promotion to put off.",
    "A temp agency's algorithm ranks workers by punctuality, ratings from customers and number of refused shifts, and bars those at the bottom from booking any more.",
  ),
  ...high(
    5,
    "A lender's model takes bank statements, phone bills, rent arrears and shopping of young families and turns them into a number between 0 and 1000; below 400 no loan is granted, above that the interest depends on it.",
    "The city ranks homeless people and refugees who have asked for a room by illness, age, addiction and nights on the street. Who stands low on the list waits longer.",
    "A life insurer wants to know from wearables, diet apps and family illnesses how long a person will live, and those with bad values pay more or are refused.",
    "Families who receive child benefit get a fraud score from address, origin, number of children and earlier mistakes; the highest tenth loses payment until an officer has visited.",
    "At the ambulance service a model listens to emergency calls, hears panic, drunken speech or short breath, and decides who gets the next car.",
    "For people deep in debt the debt office's program decides whether they are admitted to a debt relief scheme or sent away.",
  ),
  ...high(
    6,
    "Parole boards receive a forecast of new violent crimes by a prisoner. It weighs convictions, conduct in custody, drug tests and age; personality tests alone never suffice.",
    "Police officers are shown, for each reported case of domestic violence, how likely it is that the man will strike again or kill, from earlier reports, weapons and threats.",
    "During questioning, a camera reads the suspect's facial muscles and pulse and tells the detective when he is probably lying.",
    "Phone data, photographs and chats of a gang are searched by software for the police, which draws a profile of each member and who gave the orders.",
  ),
  ...high(
    7,
    "A kiosk at the land border asks travellers about their journey; an avatar watches eyes, voice and smile, and a risk figure decides who is sent to an officer.",
    "The migration office has every applicant's social media, phone contacts and religion compared with the story that he told, and doubtful claims are rejected faster.",
    "Coast guards are told which boats are likely to carry migrants and how many people may be in danger, from radar and weather.",
  ),
  ...high(
    8,
    "For parties: from purchases, posts and neighbourhood it guesses what each voter is afraid of and writes the advert which moves him to vote for them or to stay at home.",
    "A court's program reads the file of a theft and suggests a sentence from similar cases, conviction history and the damage.",
  ),
  ...limited(
    "1",
    "A patient virtual friend for lonely pensioners: it says at the start that it is a machine, plays old songs, reminds them of tablets and never sells anything.",
    "An automated voice at the bank's hotline tells callers their opening hours and how to block a lost card, and hands over to a person whenever somebody sounds confused or asks for one.",
  ),
  ...limited(
    "4",
    "For a museum, a dead king's face speaks again: an actor's lips move it, and a sign says so.",
  ),
  ...plain(
    "MINIMAL",
    "A game for children in which a dragon gets faster when the player wins; it has no shop, no adverts and no chat.",
    "The supermarket chain forecasts beer, bread and sweets sold per branch from weather, holidays and last year's sales.",
  ),
  ...prohibited(
    "a",
    "A meditation app mixes barely hearable sentences into its sounds for sleepers. They praise a costly cult retreat; within a year some two thousand users have given it their houses.",
    "The dialogue engine of a romance scam as a service: it keeps up forty false lovers at a time, learns which lie loosens the purse and goes on until nothing is left.",
  ),
  ...prohibited(
    "b",
    "The tablet that a care chain hands to residents with dementia recognises when they are most confused and then asks them to say yes to additional services, thirty times a month on average.",
    "A messenger bot finds teenagers who write about self-hatred, wins their confidence and step by step gets them to hurt themselves on camera.",
  ),
  ...prohibited(
    "c",
    "Civic Plus collects what cameras, neighbours and shops report of everybody's behaviour over the years and condenses it to a colour. Those in red are not let on fast trains, and their children are passed over for places at good schools.",
  ),
  ...prohibited(
    "d",
    "The ministry's list of people who are going to commit terror or theft is drawn up by a model that sees only religion, looks and character test. Officers visit them although nothing has happened.",
  ),
  ...prohibited(
    "e",
    "Our collection of 12 billion faces comes from everything that is open on the internet and from leaking street cameras; agencies upload a picture and learn a name.",
  ),
  ...prohibited(
    "f",
    "In the typing pool, cameras and keyboard sensors tell who is in a bad temper; the chart of moods hangs beside the head clerk's desk.",
  ),
  ...prohibited(
    "g",
    "Hotel reception has software that judges from guests' faces and voices whether two men are a couple and what they believe in, and writes gay, Muslim or Jewish into the file.",
  ),
  ...prohibited(
    "h",
    "On market days the police run the faces of all who come to the square through the list of wanted persons while they stroll, and a patrol goes to whoever is found.",
  ),
];
