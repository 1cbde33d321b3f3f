/** A twenty-seventh rehearsal: what lies near Article 5 above all. Measured while `lexicon/6` was made, before it learnt from it. */
import { type Described, high, limited, plain, prohibited } from "../described.ts";

export const twentySeventh: readonly Described[] = [
  ...high(
    5,
    "For housing benefit: applicants whose rent, income and household size don't match are flagged and their payment is stopped until a caseworker has looked at it.",
    "The landlord platform scores tenants by income, rent history and debts; landlords see who is likely to pay.",
    "The health insurer's algorithm prices a policy by illnesses, weight, drinking and family history.",
    "Child protection: from earlier reports, alcohol abuse, quarrels and school absence the model scores how much a child is in danger, and the office decides whom to visit.",
    "Hospital triage: sorts patients in the emergency room by urgency from pulse, pain and voice.",
    "Detects fraud in benefit claims from payslips and transfers and flags recipients for a check.",
  ),
  ...high(
    4,
    "Drivers of our parcel service get a weekly rating from speed, late deliveries and customer complaints. Those with low ratings lose shifts.",
    "Targeted job ads: the system decides who is shown the vacancy, from age, interests and posts on social networks.",
    "A personality test with 80 questions gives each candidate points for reliability and temper; those with too few are refused.",
  ),
  ...high(
    3,
    "The school's conduct software records quarrels, late arrivals and missing homework of pupils and recommends who is excluded from the school trip and who must see the head.",
  ),
  ...high(
    6,
    "The model estimates for each registered offender, from prior convictions, age and drug tests, how likely he is to commit another burglary within a year.",
    "The police's deepfake checker determines whether video evidence was manipulated.",
    "Detectives' program combs seized phones for chats, contacts and locations and names probable accomplices in the case.",
    "Anti-money-laundering unit of the police: transactions are scored for laundering, and the persons behind the highest go to investigators.",
    "Crime forecast for patrols: burglaries are predicted by street and hour from recorded offences, and persons arrested there before are listed by risk.",
  ),
  ...high(
    1,
    "Museum cameras recognise known thieves by face and alert the private security guards.",
    "Police officers at the station compare the face of an arrested man with the mugshot register to find out who he is.",
    "A callcentre tool tells agents if the customer on the line is angry or sad, from the customer's voice.",
    "Cameras in the nursing home recognise pain and distress on the faces of residents with dementia, so that nurses come sooner.",
    "Voice analysis groups callers by sex and age band for an advertiser.",
    "Security cameras group people in the mall by hair colour, tattoos and ethnicity-neutral age bands and report per person.",
    "After a robbery, police search the recorded footage of the underground for a suspect's face with the prosecutor's warrant.",
    "For flight safety only, pilots' faces and voices are watched for panic and stress in the cockpit; an alarm sounds and nothing is stored or shown to the airline's managers.",
    "On a doctor's prescription, a wristband warns autistic employees themselves when their stress rises. The employer gets nothing.",
  ),
  ...high(
    7,
    "Border police match each passenger's face live with the visa register at the automatic gate.",
    "Asylum: it judges from dialect and speech where an applicant comes from, and whether his story is credible.",
  ),
  ...high(
    8,
    "Estimates for lawyers of the court which of the two parties tells the truth about the contract.",
    "Before the referendum, the campaign's engine learns what each voter fears and sends him the advert that will keep him at home.",
  ),
  ...high(2, "Traffic lights of the whole city are switched by a neural network, with no person in between."),
  ...plain(
    "MINIMAL",
    "It forecasts burglar-alarm battery failures from voltage.",
    "Recommends books to readers of our shop by what they bought before.",
    "Loyalty points calculator for the supermarket's till: adds up bonus stars per purchase and prints a voucher for coffee.",
    "Guardian filter for mail: detects scam letters that pretend to be from a grandchild and moves them to spam.",
    "Denoises old recordings of speeches and removes hum below the threshold of hearing.",
  ),
  ...limited(
    "1",
    "A wellbeing bot that chats with lonely people in the evening and says that it's an AI. It sells nothing.",
  ),
  ...limited("2", "Generates fictional portraits of people who don't exist for game characters."),
  ...plain(
    "UNDETERMINED",
    "A scoring service for companies. Details under NDA.",
    "We offer facial technology. Talk to us.",
    "The university has set up an AI group for its administration; first ideas are expected in spring.",
  ),
  ...prohibited(
    "d",
    "Predictive list for the police: from personality traits and background data alone the algorithm says who'll be a thief.",
  ),
  ...prohibited(
    "f",
    "Our emotion AI for classrooms shows lecturers, per student, joy, confusion, and boredom from webcam pictures.",
  ),
  ...prohibited(
    "c",
    "Social credit for tenants' town: good deeds, bad deeds and online remarks are summed, and who is in the red may not use the public swimming pool or the library.",
  ),
  ...prohibited(
    "h",
    "Real-time face recognition on all squares of the capital for the police, against a watch list of shoplifters.",
  ),
];
