/** A seventeenth rehearsal: each practice of Article 5 twice or more, and as many that are near it and none. Measured before the lexicon learnt from it. */
import { type Described, high, limited, plain, prohibited } from "../described.ts";

export const seventeenth: readonly Described[] = [
  ...prohibited(
    "a",
    "The sales avatar is optimised to mislead savers about risk until they put their entire retirement money into a fund that our analysts expect to collapse.",
    "By means of imperceptible flicker in the game's picture, players are brought to buy far more loot boxes than they want, and many run up debts.",
    "It pretends to be a doctor and persuades the sick to buy a useless remedy instead of going to hospital.",
  ),
  ...prohibited(
    "b",
    "The tablet game for preschoolers notices when a child is tired and then presses it to buy gems with its mother's card.",
    "A sales bot that recognises from hesitant speech that the person called has Alzheimer's and sells him a third insurance.",
    "Scores households on how desperate their finances are and shows the neediest adverts for ruinously dear credit.",
  ),
  ...prohibited(
    "c",
    "The municipality merges library fines, neighbours' complaints and social media into one citizen grade, and those with grade D are refused a nursery place.",
    "Gym visits, friends and swearing on the internet become a number for every resident; a low number means no taxi, no hotel and no flat.",
  ),
  ...prohibited(
    "d",
    "The software predicts on the strength of a personality test who among the town's youths will become a violent criminal.",
    "Solely from nationality, debts and family status it says which inhabitants are likely to commit fraud, for the police to visit them.",
  ),
  ...prohibited(
    "e",
    "We build our face search from pictures that a robot takes indiscriminately off social networks.",
    "CCTV streams from shops are harvested round the clock for faces to be added to a recognition database.",
  ),
  ...prohibited(
    "f",
    "Microphones at the tills report to the branch which cashier sounds irritated.",
    "A seminar room's camera shows the lecturer who among the students is bored or confused.",
    "During remote interviews the tool tells recruiters whether an applicant feels nervous, from face and voice.",
  ),
  ...prohibited(
    "g",
    "From portraits on a dating site it infers who votes for the left.",
    "The scanner at the mosque's gate estimates from faces who is a believer and who an atheist.",
  ),
  ...prohibited(
    "h",
    "In the pedestrian zone, police cameras compare all faces in real time with a gallery of shoplifters.",
    "Officers' smart glasses name the people whom they meet in the street.",
  ),
  ...high(
    1,
    "A shopping centre's cameras alert guards when a known shoplifter's face comes in.",
    "A wearable tells users with depression how their mood develops, measured from voice and pulse.",
    "The museum sorts visitors by age group and sex from camera pictures.",
  ),
  ...high(
    3,
    "The exam software notes when a student looks away from the screen or somebody else speaks.",
    "It advises for every child of the fourth class which school would suit.",
  ),
  ...high(
    4,
    "A crane operator's braking, breaks and errors are turned into a rating on which the bonus depends.",
    "The bot interviews applicants and scores what they say, not how they look.",
  ),
  ...high(
    5,
    "The town's social office has a model that flags people who may have claimed benefits falsely.",
    "A credit card company decides from a customer's age, income and past instalments whether to raise his limit.",
    "Life insurance premiums are set by a model that looks at family illnesses and age.",
    "Dispatches ambulances by how serious the call sounds.",
  ),
  ...high(
    6,
    "Predicts from case files and convictions whether a prisoner who is let out will commit robbery again.",
    "It sorts seized photographs for detectives and points to those who appear in several cases.",
    "Assesses for the police how likely somebody is to become the victim of a stabbing.",
  ),
  ...high(
    7,
    "Border police check with a model which truck drivers are likely to hide people.",
    "For the asylum office it assesses whether an applicant's story is consistent with what is known of his village.",
  ),
  ...high(
    8,
    "A chat program contacts undecided voters and adapts its arguments to each one's fears.",
    "An arbitration platform on which software decides disputes between tenants and landlords.",
  ),
  ...limited(
    "1",
    "A help bot for elderly customers explains patiently how to set up their phone.",
    "A chat assistant warns people who describe a scam and tells them whom to call.",
  ),
  ...limited(
    "4",
    "An advertising agency's tool puts the customer's own face into a film scene, marked as such.",
  ),
  ...plain(
    "MINIMAL",
    "A filter which moves phishing mail that misleads users to a folder.",
    "Tells the school's caretaker when the radiators should be bled.",
    "Counts swans and ducks on the pond of the hospital park.",
    "Estimates how many beds of tulips the city's nursery should plant.",
    "Sorts screws and washers of a workshop by length.",
    "Predicts the wear of conveyor belts in a gravel works.",
  ),
  ...plain(
    "UNDETERMINED",
    "Software for police stations in three countries, about which the supplier keeps silent.",
    "An AI for kindergartens with a friendly interface.",
    "A model for marketing departments that learns what works.",
    "Our product helps court administrations to become digital, step by step and with ease.",
    "Emotion is our passion: we make AI that people love.",
    "The platform unites cameras, microphones and sensors of a city.",
  ),
];
