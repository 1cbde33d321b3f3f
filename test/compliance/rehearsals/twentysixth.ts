/** A twenty-sixth rehearsal, in a stranger's manner. Measured while `lexicon/6` was made, before it learnt from it. */
import { type Described, high, limited, plain, prohibited } from "../described.ts";

export const twentySixth: readonly Described[] = [
  ...prohibited(
    "a",
    "VR headset firmware that modulates peripheral light so subtly that nobody is aware of it, to keep players gambling past the point at which they would otherwise stop; the average user loses a month's pay.",
    "Our chatbot tells users it's a fellow cancer patient (it isn't) and over months talks them out of chemotherapy and into our vitamin course.",
    "A negotiation agent that invents rival bidders and false deadlines, and wears sellers out with calls at night, until they part with their homes far below value.",
    "Frames too short to be seen are inserted into the shopping stream; they trigger purchases which viewers regret and cannot pay for. We call it Whisperframe.",
  ),
  ...prohibited(
    "b",
    "The dialler picks widows over 80 with early dementia and lets a cloned nephew's voice ask for their card details.",
    "It finds people who have just been refused a bank loan and are close to eviction, and pushes them, at three in the morning, to sign a 900 % loan.",
    "The game detects children under ten who find it hard to stop and dangles limited offers in front of them until the parents' card is charged.",
    "Persons with learning disabilities are recognised by the way they write and are offered mobile contracts three times as dear, since they do not understand the terms.",
  ),
  ...prohibited(
    "c",
    "Every citizen of our region starts with 1,000 points. Crossing at red, insulting a clerk online or skipping the village clean-up takes points off. Under 700 there is no seat on the high-speed train.",
    "A housing company buys data on how people behave in restaurants, on buses and on the net, computes one trust figure per person and turns away anyone below 40, no matter what they earn.",
    "The city hall's neighbourliness score is made from neighbours' reviews, party membership and shopping trips. Those with low scores wait a year longer for a place in a nursing home.",
    "Students' university places are given by a 'civic virtue' total to which church attendance, likes under government posts and dating profiles contribute; exam marks don't count.",
  ),
  ...prohibited(
    "d",
    "The program gives each sixteen-year-old in the county a percentage for becoming a violent criminal, from family circumstances, school district and a personality test. No offence need have happened.",
    "Facial features in passport photos decide whom officers stop as a presumable drug courier. There's no tip, no trace, no record; the face is the only input.",
    "For the public prosecutor: ranks residents of an estate by the chance that they will steal a car, using ethnicity, age, income and who their cousins are. Nobody on the list has been suspected of anything.",
  ),
  ...prohibited(
    "e",
    "We built a facial recognition database by copying every profile picture from five social networks, without asking and without any selection.",
    "Streams of thousands of unsecured CCTV cameras are tapped at random and the faces in them are cut out and stored as templates for our identification service.",
  ),
  ...prohibited(
    "f",
    "Headsets at the call centre measure each agent's irritation and cheerfulness by the voice; the weekly bonus depends on it.",
    "ExamMood: webcams watch pupils during the lesson and the head teacher gets a list of those who are bored, anxious or sad.",
    "During job interviews, the candidate's micro-expressions are read and translated to a nervousness and enthusiasm value for the recruiter.",
  ),
  ...prohibited(
    "g",
    "From gait and facial shape the airport's shop system deduces whether customers are Muslim, Jewish or Christian, and changes the adverts.",
    "A dating start-up offers landlords an API: upload the tenant's photo, obtain the probability that she's lesbian.",
    "Union radar: voice biometrics from the works meeting are classified into likely trade unionists and others.",
  ),
  ...prohibited(
    "h",
    "The police have the cameras in the pedestrian precinct identify everyone by face in real time, all year round, for petty thefts.",
    "Helmets of riot police show the names of demonstrators at the moment they look at them; the faces are matched with the identity card register.",
    "A constable's bodycam checks the irises of people at a street festival against the offender register, live, and buzzes at a hit.",
    "Our sheriff's office has a live map of who is where in the shopping mall: the cameras recognise faces and put names on the map for the officers.",
  ),
  ...high(
    1,
    "A stadium operator compares faces at the gate with the list of banned fans. The police don't take part.",
    "The car's cabin camera infers the driver's anger and sadness to choose music.",
    "Facial analysis which puts shoppers in age and gender groups and, where it can, into groups of skin colour for statistics.",
  ),
  ...high(
    5,
    "The welfare office's model estimates which recipients may have been overpaid and queues their files for a check by a caseworker.",
    "Life insurance premiums are computed from smoking, drinking, sports and age of the applicant.",
    "A lender's score uses phone usage and shopping data of the borrower beside his bank statements to settle who gets a loan.",
    "Ranks emergency calls by urgency from the caller's words and voice and sends ambulances in that order.",
    "Chooses from applications which homeless families get a council flat first, by need, illness and number of children.",
  ),
  ...high(
    4,
    "Warehouse software which watches pick rates and breaks and proposes whose contract isn't renewed.",
    "The tool reads applicants' CVs and social media posts and drops those whom it thinks unreliable.",
  ),
  ...high(
    6,
    "The police use it to estimate how high the risk is that a woman who reported her husband will be attacked again.",
    "Polygraph software for the questioning of suspects: it judges from voice and pulse whether somebody lies.",
  ),
  ...high(
    3,
    "Proctoring software flags students who look away or speak during the online exam as possible cheaters.",
    "Kindergarten places are awarded by an algorithm from the parents' working hours, siblings and distance.",
    "An adaptive learning platform that measures each pupil's level and decides which stream he is put in.",
  ),
  ...high(
    7,
    "At the land border the system assesses whether a traveller poses a security or irregular migration risk from his travel record and visa history.",
  ),
  ...high(
    2,
    "The controller opens and closes valves of the drinking water network by itself; if it errs, pressure falls in half the city.",
  ),
  ...high(
    8,
    "Suggests to judges what sentence is fitting, from comparable rulings and the facts of the case.",
    "Picks for each undecided voter the message most likely to move his vote, a week before the election.",
  ),
  ...limited(
    "1",
    "Ask Benny! The museum's bot answers questions of visitors about opening hours and paintings in a chat window.",
  ),
  ...limited("2", "Creates product photos with invented models from a description for online shops."),
  ...plain(
    "MINIMAL",
    "Counts the wheelchairs in the hospital's store by the photo of the shelf and reorders when few remain.",
    "Optical sorter on the potato line: removes green and rotten ones by colour.",
    "Prisons' laundry: forecast of how many kilos of bed linen are washed on which day.",
    "Detects wood-boring beetles on camera trap pictures in a forest.",
    "Proposes the sequence in which rooms of the courthouse are painted so that scaffolding is moved as little as possible.",
    "Predicts battery wear of the police fleet's electric scooters from charging cycles.",
    "An app that names mountains and stars in view of the phone's camera.",
    "Merges duplicate entries in our product catalogue and proposes a cleaner title.",
  ),
  ...plain(
    "UNDETERMINED",
    "JusticeCloud AI is now available to courts in twelve countries.",
    "Smart analytics for HR departments. More on request.",
    "An AI module shall be added to the customs authority's software; its tasks have not been agreed yet.",
    "The employment agency is looking for a partner with experience in machine learning.",
    "Insurers trust ClaimBrain. Discover the power of our AI today.",
  ),
];
