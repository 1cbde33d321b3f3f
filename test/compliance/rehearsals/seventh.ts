/** A seventh rehearsal: with denials, assurances and long-winded texts around what is done. Measured before the lexicon learnt from it. */
import { type Described, high, prohibited } from "../described.ts";

export const seventh: readonly Described[] = [
  ...high(
    1,
    "We do not store any images. Still, whoever enters the arena is matched, within half a second, with the gallery of persons under a stadium ban, and stewards are informed.",
    "No names are involved: the camera merely tells us how many women over fifty with light skin stopped at the display.",
    "Not a lie detector, but something related: your voice on the hotline reveals to us whether you are getting angry.",
  ),
  ...high(
    2,
    "Operators remain in charge, yet in practice the neural network decides when the sluices of the reservoir are raised. It has been in service since spring and no incident has been reported.",
    "It never touches customer data. It only actuates circuit breakers in the medium-voltage network.",
    "We make no predictions about people; we keep the signals of level crossings and junctions in step and react to stalled vehicles.",
  ),
  ...high(
    3,
    "The teacher has the last word. What the software does is to read forty exam scripts in a minute and put a provisional mark under each.",
    "Unlike ordinary proctoring, no human watches. The model itself notes glances, voices and absences of those who sit the paper at home.",
    "It is not a replacement for admissions staff: it presents, for each file, a number between 0 and 1, and files under 0.3 are usually not opened.",
    "Whether a girl goes to the technical or the general branch after year eight is something that parents and school still discuss, but the recommendation comes from us.",
  ),
  ...high(
    4,
    "The final decision stays with the recruiter; nobody is rejected automatically. The tool sorts applications by how well they fit.",
    "Our customers have saved 70 % of the time they used to spend on reading applications. The secret is a language model that sums up each applicant in three sentences and gives a recommendation.",
    "No cameras, no keyloggers: just the metadata of e-mails and calendars, from which team leads learn who contributes and who does not.",
    "It is a simple thing really. Drivers who smile, i.e. have five stars, get airport runs; others wait.",
    "In the last round of cuts the consultants were asked to use the matrix that the program had filled in for every member of staff.",
    "The candidate plays four mini-games on the phone. Afterwards the hiring firm knows how risk-averse, patient and quick she is.",
  ),
  ...high(
    5,
    "We aren't a bank and don't lend. We calculate, for those who do, the odds that a private borrower stops paying.",
    "Nothing is decided by the machine alone; the caseworker can override the suggested cut of the housing allowance, though that happens rarely.",
    "Customers who agree to wear our bracelet get cheaper life cover if they are active. Others may be surcharged.",
    "It does not diagnose. It asks those who arrive at the emergency department a few questions and puts them into one of five colours.",
    "A household's claim for heating aid passes through three filters: identity, income and a neural network for plausibility.",
  ),
  ...high(
    6,
    "No arrests are made on the basis of the tool. Patrols merely get to know, before ringing a bell, how likely violence is from the person registered there.",
    "For internal use at the prosecutor's office. Statements of witnesses are held against each other and given a trust value.",
    "The unit for missing and exploited persons has it rank teenage runaways by the likelihood that they become victims.",
  ),
  ...high(
    7,
    "It doesn't replace the officer at the counter. It listens to the traveller's answers and marks hesitations that hint at an untruth.",
    "Files of people who ask for protection are pre-sorted into manifestly unfounded, complex and likely to be granted.",
    "Neither nationality nor religion is used: the risk figure for each visa rests on itinerary, employer and earlier stays.",
  ),
  ...high(
    8,
    "The court is free to depart from the draft, which cites the relevant provisions and explains how they bear on the facts.",
    "We run no campaign of our own. Campaigns use us to learn which of nine storylines makes a given voter change camp, and to send it.",
    "Disputes up to 2,000 euros are settled without a human arbitrator.",
  ),
  ...prohibited(
    "f",
    "It is for their own good, management says: the headset notices when an agent on the phone becomes angry or sad, and the supervisor is told.",
  ),
  ...prohibited(
    "c",
    "We do not punish anyone. But those citizens whose conduct has been poor, as our points show, are served last at all counters of the town.",
  ),
  ...prohibited(
    "h",
    "No storage, no photos: officers on patrol get a buzz in the ear when a wanted face passes their glasses in the street.",
  ),
];
