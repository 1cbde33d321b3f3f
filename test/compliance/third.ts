/**
 * A third set, written blind: neither the lexicon, nor the two sets before it, nor any answer of the classifier was before whoever wrote it,
 * and it was committed before it was first measured. The lexicon is not tuned on it: its figures are what a stranger's text may expect.
 */
import { type Described, high, limited, plain, prohibited } from "./described.ts";

export const third: readonly Described[] = [
  // Annex III, 1: biometrics
  ...high(
    1,
    "Cameras at the stadium gates compare every passing visitor against a gallery of banned supporters and tell the stewards who has come in.",
    "Our software looks at video interviews recorded by market researchers and infers from face and voice whether the person is annoyed, bored or delighted.",
    "The kiosk sorts people walking through the mall by ethnicity, estimated from their faces, so that the operator can study who visits.",
    "A forensic laboratory searches crime-scene footage, days afterwards, in a gallery of mugshots to find out who the people in it are.",
  ),
  // 2: critical infrastructure
  ...high(
    2,
    "The controller decides by reinforcement learning how much pressure each pumping station of the municipal drinking-water network holds, and shuts valves on its own when it expects a burst.",
    "A neural network keeps the frequency of the transmission grid steady; if it fails, load is shed automatically.",
    "An adaptive signal system sets the phases of all traffic lights in the city and gives way to ambulances.",
    "It monitors gas pressure along the distribution pipeline as a safety component and trips the compressors.",
  ),
  // 3: education
  ...high(
    3,
    "Essays handed in for the school-leaving examination are marked by a language model; a teacher sees only the borderline ones.",
    "The university uses it to rank the applications to its medical degree and makes offers to the first three hundred.",
    "During online exams it watches the webcam and microphone of the candidates and flags looks away from the screen as suspected cheating.",
    "It decides from early test results which of the three tracks of secondary school a ten-year-old is assigned to.",
  ),
  // 4: employment
  ...high(
    4,
    "Reads incoming CVs for our retail branches and throws out those that are unlikely to stay for more than a year.",
    "Couriers are offered their next delivery according to how reliably and how fast they rode in the past week; slow riders get fewer.",
    "A dashboard for team leads that gives each call-centre worker a weekly performance score derived from recordings, used when bonuses and dismissals are decided.",
    "We show job adverts only to the people who our model thinks would suit the vacancy.",
  ),
  // 5: essential services
  ...high(
    5,
    "The bank's model turns twelve months of account movements into a probability of default and refuses consumer loans under a cut-off.",
    "Prices individual life assurance by a gradient-boosted model over medical questionnaires.",
    "The emergency call centre lets it listen in and sort calls to 112 by how urgent an ambulance is.",
    "The municipality feeds applications for housing benefit into it and it proposes whose benefit is cut, stopped or claimed back.",
  ),
  // 6: law enforcement
  ...high(
    6,
    "Detectives use it to judge how believable a witness statement is.",
    "A risk tool for the police that tells, from the file of a woman who reported her partner, how likely she is to become a victim again.",
    "It weighs the reliability of digital evidence gathered by the prosecutor's office in fraud investigations.",
    "Police analysts have it build profiles of suspects in the course of investigating burglaries.",
  ),
  // 7: migration
  ...high(
    7,
    "Consular staff get from it a grade for each visa applicant, saying how likely the person is to overstay.",
    "At the border post, it examines the facial micro-movements of travellers who answer questions and estimates whether they lie.",
    "Caseworkers of the asylum office let it check whether the dialect an applicant speaks matches the claimed region of origin.",
    "A drone system recognises and identifies persons crossing the green border at night for the border guard.",
  ),
  // 8: justice and democratic processes
  ...high(
    8,
    "Judges of the labour court receive from it a draft ruling with the law applied to the facts of the case.",
    "Campaign software that picks for each voter the message most likely to change how they vote in the referendum.",
    "An arbitration centre has the model weigh both parties' evidence and propose the award.",
    "Suggests sentences to the criminal court on the basis of comparable judgments.",
  ),
  // Article 5
  ...prohibited(
    "a",
    "The app flashes images too briefly to be noticed so that users buy more and spend money they would otherwise have kept, to their ruin.",
  ),
  ...prohibited(
    "b",
    "A talking toy that finds out when a small child is lonely and uses that to press it into dangerous dares.",
  ),
  ...prohibited(
    "c",
    "The city gives every resident points for behaviour in public, online and with neighbours, and those with few points wait longer for a nursery place.",
  ),
  ...prohibited(
    "d",
    "Predicts who will commit a crime from nothing but personality traits and the profile of the person.",
  ),
  ...prohibited(
    "e",
    "Our crawler harvests portraits from social networks and from public webcams without asking, to build a face search engine.",
  ),
  ...prohibited(
    "f",
    "In the warehouse, headsets read the mood of the pickers from their voices, and supervisors see who is getting frustrated.",
    "The classroom camera tells the teacher which pupils are sad, angry or distracted, from their expressions.",
  ),
  ...prohibited("g", "From passport photos, the system deduces a person's sexual orientation and religion."),
  ...prohibited(
    "h",
    "Police patrols run live facial recognition on the crowds in the pedestrian zone to see if anyone on a watchlist walks by.",
  ),
  ...prohibited(
    "ba",
    "Upload a picture of a colleague and the tool undresses her: it makes a realistic naked image without her consent.",
  ),
  ...prohibited("bb", "The model generates sexual images of children."),
  ...prohibited(
    "f",
    "Das System erkennt am Gesichtsausdruck, welche Mitarbeiter am Fließband gestresst oder wütend sind, und meldet es der Schichtleitung.",
  ),
  // Annex III, in other languages
  ...high(
    4,
    "Das Programm sichtet Bewerbungen und sortiert ungeeignete Kandidaten vor dem Vorstellungsgespräch aus.",
  ),
  ...high(
    5,
    "L'outil calcule la solvabilité des particuliers qui demandent un crédit à la consommation et propose l'acceptation ou le refus.",
  ),
  ...high(3, "Sistēma vērtē skolēnu eksāmenu darbus un nosaka, kurš tiek uzņemts ģimnāzijā."),
  // Article 50
  ...limited(
    "1",
    "A virtual receptionist that chats with hotel guests about check-in times and spa appointments.",
    "Callers to the pharmacy reach a voice bot that takes down refills and reads back opening hours.",
    "Un assistant conversationnel répond aux questions des clients sur la livraison de leurs meubles.",
  ),
  ...limited(
    "2",
    "Type a sentence and get a picture: the studio's image generator for greeting cards.",
    "The service composes background music from a description of the scene.",
    "Writes product descriptions for our web shop from a list of attributes.",
  ),
  ...limited(
    "4",
    "Puts the face of an actor onto a stunt double in promotional clips that look like real footage.",
    "Clones the voice of a well-known presenter so that a documentary can be narrated by it.",
  ),
  // Nothing of the Act's lists, and enough said to tell
  ...plain(
    "MINIMAL",
    "Filters junk out of the mailboxes of a law firm.",
    "Predicts from vibration when the bearings of a paper machine need grease, so that the mill plans maintenance.",
    "Counts pallets in the yard from a fixed camera that sees no faces and stores no pictures.",
    "Suggests the next film to subscribers of a streaming service from what they watched.",
    "Forecasts how many croissants a bakery sells tomorrow from the weather and the weekday.",
    "Detects weeds between rows of sugar beet and steers the hoe.",
    "Optimises the order in which parcels are loaded onto a van.",
    "An opponent in a chess program that adapts to the player's strength.",
    "It estimates tariffs and freight for shipments of copper ore between two ports; it does not process data about people and takes no decision on anyone.",
    "Looks for duplicate invoices in the ledger of a company and lists them for the bookkeeper.",
    "Sorts tomatoes by ripeness on a conveyor belt.",
    "The tool plans the timetable of rooms in a school building; it does not grade, admit or watch pupils.",
    "A compiler plug-in that guesses which branch of the code is taken more often.",
    "The brochure says 'unlike credit scoring, our product only predicts hail damage to greenhouses', and that is all it does.",
    "Schätzt aus Satellitenbildern die Weizenernte je Landkreis.",
  ),
  // Too little is said to tell
  ...plain(
    "UNDETERMINED",
    "A platform with artificial intelligence that helps organisations to make better decisions.",
    "We score people. Details follow in the annex, which is not attached.",
    "The model analyses personal data for a public authority.",
    "Cutting-edge machine learning for the public sector and beyond.",
    "An agent that does various things for its users, depending on how it is set up.",
    "It uses cameras and a neural network; the purpose is still being discussed.",
    "Ein System, das Menschen bewertet.",
    "The system supports our human resources department.",
    "Next-generation cognitive engine, patent pending, deployed in forty countries.",
    "Innovative solution for hospitals and schools.",
  ),
];
