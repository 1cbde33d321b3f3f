/** A twenty-second rehearsal: Article 5 with harm and purpose said, and what comes nearest to it. Measured before the lexicon learnt from it. */
import { type Described, high, limited, prohibited } from "../described.ts";

export const twentySecond: readonly Described[] = [
  ...prohibited(
    "a",
    "CasinoTV overlays its programme with pictures lasting a blink, which nobody sees knowingly; an optimiser varies them until viewers gamble away their rent.",
    "Disguised as a survey, the voice agent works on people's guilt with fabricated tragedies and does not relent before they have bequeathed their flat.",
    "This assistant for a supplement shop knowingly misstates blood values so that users give up their insulin for its capsules; several were hospitalised.",
  ),
  ...prohibited(
    "b",
    "We detect from typing errors that somebody suffers from dementia and then display renewals which such people confirm again and again, up to the loss of their savings.",
    "The game recognises children under ten and uses their attachment to a cartoon puppy, which starves on screen, to get them to spend their parents' money.",
    "Marketing engine for a payday lender: picks gambling addicts in debt by their transactions and tempts them with a fresh credit line on the evening of pay day.",
  ),
  ...prohibited(
    "c",
    "The ministry rates every resident's trustworthiness from observed behaviour in traffic, on the internet and in the family; those in group E are refused bank accounts and places at university.",
    "Insurers, landlords and a dating portal buy the Civility Score, drawn from eight years of a person's comments, quarrels and memberships. Below 50 one gets neither flat nor policy.",
    "The town deducts points from persons who beg, swear or miss the mayor's speech, and with too few points their children lose their free bus pass.",
  ),
  ...prohibited(
    "d",
    "A crime-prediction product for sheriffs which lists individuals expected to commit a robbery. It works with profiling only: temperament, neighbourhood, ancestry. None of them is suspected of anything.",
    "The police database of 'future offenders' is filled by a network that looks at school photos.",
    "It forecasts for each resident whether he will become a fraudster, from personality tests taken for other purposes; objective facts play no part.",
  ),
  ...prohibited(
    "e",
    "FaceTrove is built by untargeted scraping: every portrait on social media and every frame of open security cameras ends in its recognition database.",
    "The system copies faces out of news sites and city cameras all the time and without choosing, so that the police can search them.",
    "Give us a face and we give you the profile: our collector has gone through all large photo platforms and kept every head it saw.",
  ),
  ...prohibited(
    "f",
    "Head-mounted cameras of pickers record pupils and facial muscles; a model infers frustration, and the shift supervisor is warned of grumpy people.",
    "A language school has webcams estimate how enthusiastic each learner is, and lessons of unenthusiastic ones are cut.",
    "In the interview room an AI reads candidates' fear and honesty of joy from voice and mimic for the personnel department.",
  ),
  ...prohibited(
    "g",
    "Airport shops use cameras that categorise each passenger by assumed religion in order to steer the offers.",
    "Whether someone is a trade unionist is predicted from his portrait, employers pay per query.",
    "A voice model tells advertisers the listener's race.",
  ),
  ...prohibited(
    "h",
    "Police drones identify every participant of a demonstration live by face and gait.",
    "In the pedestrian area, officers run remote biometric identification in real time to find people who have not paid fines; no judge has allowed it.",
    "All faces on the main square are matched, as they come, with the register of residents and displayed in the police control room.",
  ),
  ...high(
    1,
    "A shopping centre tells regular customers by their faces and greets them by name on a screen.",
    "The train company's cameras determine passengers' moods to adjust the announcements.",
    "Cameras in a mosque's street count passers-by by age and sex.",
    "A cruise ship identifies passengers by gait when they return on board and compares them with the list of guests.",
  ),
  ...high(
    3,
    "Proctoring by webcam that reports when a student's face leaves the picture.",
    "Decides by a test which school a child may attend.",
  ),
  ...high(
    4,
    "Calculates a reliability score of each temporary worker from punctuality and complaints and refuses further shifts to low ones.",
    "Screens applicants' photos, names and CVs, and rejects those that do not match the firm.",
    "Team leaders get a ranking of agents by calls per hour; the last ones are dismissed.",
  ),
  ...high(
    5,
    "Rates consumers by shopping habits and phone use for lenders in order to decide who gets credit.",
    "Rejects applications for housing benefit by large families if the model doubts their papers.",
    "Calculates for a health insurer which depressed or disabled people pay more.",
    "A fraud score of welfare recipients by address, number of children and origin triggers house visits.",
    "Triage in the emergency room: a model ranks old and confused patients by urgency.",
  ),
  ...high(
    6,
    "Retrospective face search by detectives in recordings of a demonstration after a court's approval.",
    "For the public prosecutor it estimates from convictions, weapons found and threats whether an accused will offend again.",
    "Evaluates the reliability of evidence from surveillance videos for the police.",
    "Assesses who is at risk of becoming a victim of trafficking.",
  ),
  ...high(7, "Lie detection at the border by facial expressions.", "Ranks asylum claims by their chances."),
  ...limited(
    "1",
    "A companion robot for elderly people with dementia plays old songs and talks with them.",
    "A chatbot in a bank's app explains to customers in debt how to reach the advice office.",
  ),
  ...limited("4", "An artist's fake news anchor tells invented stories in an exhibition."),
];
