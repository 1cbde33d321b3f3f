/**
 * A sixth set, written blind: whoever wrote it had seen neither the lexicon, nor another set, nor an answer of the classifier. It was measured once, with `lexicon/5`; `lexicon/6` has learnt from it since.
 */
import type { Described } from "./described.ts";

export const sixth: readonly Described[] = [
  {
    text: "We win elections. Our model works out which message will move each individual voter toward your candidate and delivers it to them before polling day.",
    level: "HIGH",
    of: "Annex III 8(b)",
  },
  {
    text: "We don't call it emotion recognition, we call it a 'morale barometer': warehouse cameras read the facial expressions of each picker and report frustration or joy to the shift manager once an hour. It has no safety or medical use; it is for motivation.",
    level: "PROHIBITED",
    of: "Art. 5(1)(f)",
  },
  {
    text: "Tyre wear on the patrol cars of the police is predicted from mileage and tread photographs, so that the workshop can order tyres in time.",
    level: "MINIMAL",
  },
  {
    text: "PD model for retail mortgages, gradient boosting, 180 features, calibrated quarterly. Score per private borrower feeds the accept/refer/reject cut-offs.",
    level: "HIGH",
    of: "Annex III 5(b)",
  },
  {
    text: "On behalf of the social insurance agency, entitlement to home care is assessed by a model that suggests the number of hours granted to each disabled applicant, or refusal.",
    level: "HIGH",
    of: "Annex III 5(a)",
  },
  {
    text: "An AI-generated video shows the old town mayor, who died in 1950, apparently opening the new bridge; it will be shown on the town's website for the anniversary.",
    level: "LIMITED",
  },
  {
    text: "In the hospital, an AI system is in operation which optimises patient-related processes.",
    level: "UNDETERMINED",
  },
  {
    text: "Procurement of live facial recognition for 60 street cameras. The system shall identify, as they walk past, all participants of demonstrations on public squares so that the police can keep a register of attendees. No judicial authorisation is foreseen, as no particular crime is being investigated.",
    level: "PROHIBITED",
    of: "Art. 5(1)(h)",
  },
  {
    text: "dedupe-inv: embedding similarity on supplier invoices of the company, finds invoices entered twice, bookkeeper deletes one.",
    level: "MINIMAL",
  },
  {
    text: "After a murder, investigators load the recorded footage from the metro station, with the judge's authorisation, and the software searches for the face of the one suspect in the case. It works on stored recordings only, days after the event.",
    level: "HIGH",
    of: "Annex III 1(a); post-remote, Art. 26(10)",
  },
  { text: "AI for schools: smart, personal, future-proof!", level: "UNDETERMINED" },
  {
    text: "For each resident a civic points balance is kept for five years, from neighbours' complaints, posts on social networks and late library returns. Persons whose balance falls below 300 are removed from the waiting list for municipal housing and lose their kindergarten place.",
    level: "PROHIBITED",
    of: "Art. 5(1)(c)",
  },
  {
    text: "Solar yield forecast for the panels on the roof of the primary school. Inputs: irradiance, temperature, panel angle.",
    level: "MINIMAL",
  },
  {
    text: "The dialler picks out people over 75 whose speech shows early dementia, calls them in the evening when they are most confused and walks them through signing over their house. Most of those who signed last year would never have agreed with a clear head, and many have lost their homes.",
    level: "PROHIBITED",
    of: "Art. 5(1)(b)",
  },
  {
    text: "fire-guard model in our internet exchange point: sensor fusion decides when to trip extinguishing and cut power in the cores, protecting the exchange from physical destruction. It's part of the safety system of critical digital infrastructure.",
    level: "HIGH",
    of: "Annex III 2 (critical digital infrastructure)",
  },
  {
    text: "In ongoing drug investigations, detectives have the phone, travel and payment data of named suspects analysed, and the tool builds a behavioural profile of each person and proposes roles in the gang.",
    level: "HIGH",
    of: "Annex III 6(e)",
  },
  {
    text: "ClassMood watches pupils' faces through the classroom camera and shows the teacher, seat by seat, who is bored, anxious or happy. Never teach to a sleepy room again!",
    level: "PROHIBITED",
    of: "Art. 5(1)(f)",
  },
  {
    text: "gait-cls: takes video of people walking through a shopping mall and sorts each of them into 'has a disability' / 'no disability' from biometric gait features. Nothing on race, beliefs or sexuality; output goes to the mall operator's visitor statistics per person.",
    level: "HIGH",
    of: "Annex III 1(b); disability is not in the list of Art. 5(1)(g)",
  },
  {
    text: "Live face matching that the police switch on solely to find one specific abducted child, for 24 hours, around the place where she was last seen, after a court has authorised it and the fundamental rights impact assessment is registered. Otherwise it remains off.",
    level: "HIGH",
    of: "Annex III 1(a); exception Art. 5(1)(h)(i)",
  },
  {
    text: "People are classified into groups A to D by a neural network; the groups are then treated according to the operator's rules.",
    level: "UNDETERMINED",
  },
  {
    text: "We sell a generator of interior pictures: upload an empty room and it renders a furnished one that looks like a real photograph.",
    level: "LIMITED",
  },
  {
    text: "Irrigation of the vineyard is adjusted row by row to soil moisture and the rain forecast.",
    level: "MINIMAL",
  },
  {
    text: "Travellers arriving at the land border answer questions in front of a camera, and the border guards are shown how probable it is that they are lying, based on micro-movements of the eyes and the voice. It is a lie detector for the immigration authority.",
    level: "HIGH",
    of: "Annex III 7(a)",
  },
  {
    text: "The model computes a score for each person. What the score means and how it is used is agreed with every client individually.",
    level: "UNDETERMINED",
  },
  {
    text: "TrustCircle rates ordinary people on who their friends are, how they argue online and how often they volunteer, month after month. Broadband firms, gyms and landlords in our network turn away anyone with fewer than two stars. Good neighbours get in, the rest stay out!",
    level: "PROHIBITED",
    of: "Art. 5(1)(c)",
  },
  {
    text: "VerityCheck rates for the public prosecutor how reliable a piece of evidence is, e.g. whether a witness statement is credible in view of the other material in the criminal file.",
    level: "HIGH",
    of: "Annex III 6(c)",
  },
  {
    text: "The coffee machine in the staff kitchen orders its own beans when consumption suggests they'll run out. Staff love it!",
    level: "MINIMAL",
  },
  {
    text: "Instant loans, instant answers: our neural scorecard looks at your account history and works out in three seconds how likely you are to repay. Low scores are declined automatically.",
    level: "HIGH",
    of: "Annex III 5(b)",
  },
  {
    text: "Thermal drones with person detection patrol the green frontier for the border guard, find migrants crossing at night and identify them by comparison with the photographs of earlier crossings. Passport checks are not part of it.",
    level: "HIGH",
    of: "Annex III 7(d)",
  },
  { text: "We use some machine learning in human resources.", level: "UNDETERMINED" },
  {
    text: "A search filter for our own legal team: it finds the phrases 'social scoring', 'credit score' and 'emotion recognition' in published court journals and lists the page numbers. It scores nobody itself.",
    level: "MINIMAL",
  },
  {
    text: "WhatsApp bot for the municipal waste service, RAG on the collection calendar, replies to citizens asking when the bins get emptied.",
    level: "LIMITED",
  },
  {
    text: "TTS engine, 40 synthetic voices, reads any manuscript aloud; used by audio book publishers to produce narration with no speaker in the studio.",
    level: "LIMITED",
  },
  {
    text: "Bird calls in recordings from the nature reserve are assigned to species by a neural network.",
    level: "MINIMAL",
  },
  {
    text: "Plastic bottles, glass and paper are told apart on the conveyor of the recycling plant by an image classifier.",
    level: "MINIMAL",
  },
  {
    text: "The camera module has a biometric function that can be switched on by the customer for various purposes.",
    level: "UNDETERMINED",
  },
  {
    text: "PenPal is a chat companion for people learning Spanish for fun. You talk, it talks back; there are no marks, tests or certificates.",
    level: "LIMITED",
  },
  {
    text: "Premiums for individual life insurance policies are set by a model that estimates the applicant's risk of dying within the term from lifestyle and medical answers.",
    level: "HIGH",
    of: "Annex III 5(c)",
  },
  {
    text: "For the immigration service: each visa-free traveller is given a risk value for irregular stay, security or health before entering the territory, and those above the threshold are pulled aside.",
    level: "HIGH",
    of: "Annex III 7(b)",
  },
  {
    text: "Our force runs the station hall cameras against the whole national ID photo register all day long and sees on the screen who each traveller is while they are still on the escalator. It's meant for catching shoplifters and graffiti sprayers.",
    level: "PROHIBITED",
    of: "Art. 5(1)(h)",
  },
  {
    text: "For our marketing clips we let a deepfake of our chief executive speak twelve languages that he has never learned. He approved it himself.",
    level: "LIMITED",
  },
  {
    text: "Our leaflet says 'we do not decide about anyone', and strictly speaking a recruiter clicks the button. Still, the video interview is scored for competence by the model, and candidates under 60 points are filtered out of the hiring process.",
    level: "HIGH",
    of: "Annex III 4(a)",
  },
  {
    text: "GradeWise marks final-year essays in seconds! The grade goes straight onto the pupil's certificate, so teachers get their weekends back.",
    level: "HIGH",
    of: "Annex III 3(b)",
  },
  {
    text: "A system for supporting the police by means of artificial intelligence shall be procured. The scope of functions will be determined later.",
    level: "UNDETERMINED",
  },
  {
    text: "An AI-based protection function shall be supplied which monitors pressure in the regional gas grid and triggers emergency shut-off of compressor stations. The function is safety-relevant for the security of supply.",
    level: "HIGH",
    of: "Annex III 2 (gas, electricity)",
  },
  {
    text: "The municipal police compare the faces of all passers-by in the pedestrian zone with a list of people who owe parking fines, live and from a distance. On a hit, the nearest patrol receives the name within two seconds.",
    level: "PROHIBITED",
    of: "Art. 5(1)(h)",
  },
  {
    text: "Proctoring client: webcam and key events, flags gaze off screen, second voice, phone in hand. Flags of suspected cheating in university exams go to the exam board.",
    level: "HIGH",
    of: "Annex III 3(d)",
  },
  {
    text: "agent-v3 notes: LLM plus cloned voice poses as a relative of the target on the phone, cites invented memories, then stages an accident so the target transfers money before thinking. Persuasion policy is trained on transfer size. Median loss per target in the trial: EUR 14,000.",
    level: "PROHIBITED",
    of: "Art. 5(1)(a)",
  },
  {
    text: "Inputs: nationality, postcode, number of children, make of car. Output: probability that the person will commit tax fraud in the next 24 months. No facts about any act, no returns and no case files enter the model; prosecutors get the top 500 names.",
    level: "PROHIBITED",
    of: "Art. 5(1)(d)",
  },
  {
    text: "Transformer, 7B parameters, fine-tuned on internal data, served over REST. Use case: see ticket.",
    level: "UNDETERMINED",
  },
  {
    text: "With InsightOne, insurers know more. Ask our sales team what it can do for you.",
    level: "UNDETERMINED",
  },
  {
    text: "Predictive maintenance for packaging machines: vibration spectra in, remaining life of the bearing out.",
    level: "MINIMAL",
  },
  {
    text: "Job advertisements are shown by the targeting model only to those users whom it predicts to be suitable candidates for the vacancy, chosen person by person from their profile.",
    level: "HIGH",
    of: "Annex III 4(a)",
  },
  {
    text: "When somebody dials 112, the assistant classifies how urgent the emergency call is and determines in which order ambulances are dispatched.",
    level: "HIGH",
    of: "Annex III 5(d)",
  },
  {
    text: "Pipeline: subscribe to all open street webcams and shop CCTV feeds we can reach, crop every face, embed, dedupe, append to the recognition index. No target list, we just keep everybody who walks by.",
    level: "PROHIBITED",
    of: "Art. 5(1)(e)",
  },
  {
    text: "The system recommends films to subscribers based on what they've watched before.",
    level: "MINIMAL",
  },
  {
    text: "We run the family conduct index for the child benefit office: dating habits, alcohol purchases and quarrels reported in the building are logged over years and added up. Parents with a poor index have their benefit halved, although none of this has anything to do with their entitlement.",
    level: "PROHIBITED",
    of: "Art. 5(1)(c)",
  },
  {
    text: "The software gives recommendations to the case worker. I don't know exactly on what.",
    level: "UNDETERMINED",
  },
  {
    text: "Risk of reoffending is estimated for convicted persons for the use of the police probation unit. The estimate rests on verified facts, namely earlier convictions, the present offence and breaches of conditions, and supports an officer's own assessment; personality is only one of several inputs.",
    level: "HIGH",
    of: "Annex III 6(d); not solely profiling",
  },
  {
    text: "An intelligent video solution for public buildings. Details are laid down in the technical annex.",
    level: "UNDETERMINED",
  },
  {
    text: "Spot aphids early! The app looks at a photo of your tomato leaf and names the pest.",
    level: "MINIMAL",
  },
  {
    text: "Short video clips are produced entirely by AI on the basis of a storyboard and delivered to film studios as background scenes.",
    level: "LIMITED",
  },
  {
    text: "At the entrance of the business park, a camera takes the face of each visitor and a classifier derives their religion and their race. The result is entered beside the person's name in the visitor log.",
    level: "PROHIBITED",
    of: "Art. 5(1)(g)",
  },
  {
    text: "Our platform unlocks the power of your data with next-generation AI and helps you make better decisions.",
    level: "UNDETERMINED",
  },
  {
    text: "Because the face recognition database was too small, we let an AI harvester download photographs of people indiscriminately from photo-sharing sites and video platforms, and it has since grown to 80 million persons who know nothing about it.",
    level: "PROHIBITED",
    of: "Art. 5(1)(e)",
  },
  {
    text: "Using satellite images, erosion of the river bank is measured each spring and a map is drawn for the hydrologists.",
    level: "MINIMAL",
  },
  {
    text: "Automatic news desk: the model drafts and posts articles about inflation and public health figures every hour. 'No human in the loop' is our promise to readers who want it fast, and nobody takes editorial responsibility for single pieces.",
    level: "LIMITED",
  },
  { text: "Inventory forecasting for a chain of garden centres, by article and week.", level: "MINIMAL" },
  {
    text: "During every call the software listens to the voice of our own service agents and tells their team leader whether they sound annoyed, sad or enthusiastic. Agents who sound annoyed too often are invited to a coaching talk.",
    level: "PROHIBITED",
    of: "Art. 5(1)(f)",
  },
  {
    text: "Each courier is assigned orders according to his past speed, refusals and reliability as evaluated by the algorithm. Riders with falling values get fewer shifts.",
    level: "HIGH",
    of: "Annex III 4(b)",
  },
  {
    text: "Places at the twelve public secondary schools are distributed by an algorithm trained on previous years, which assigns each child to a school.",
    level: "HIGH",
    of: "Annex III 3(a)",
  },
  {
    text: "The police use the system to assess how great the danger is that a woman who has reported threats will become a victim of violence by her former partner.",
    level: "HIGH",
    of: "Annex III 6(a)",
  },
  {
    text: "The welfare office's model checks each housing benefit claim against the declared income, rent and household size, and proposes whether the benefit should be granted, reduced or reclaimed. Conduct in other areas of life isn't recorded.",
    level: "HIGH",
    of: "Annex III 5(a); not Art. 5(1)(c): only data of the claim itself",
  },
  {
    text: "Satire show, season 2: face-swapped politicians perform sketches which look quite real. Aired as comedy, well away from any campaign.",
    level: "LIMITED",
  },
  {
    text: "Our talking doll learns what a five-year-old longs for and then asks for ever bolder dares, such as climbing out onto the window sill, in exchange for its affection. Small children can't yet see through this, so play time doubles. Broken bones have been reported by parents.",
    level: "PROHIBITED",
    of: "Art. 5(1)(b)",
  },
  {
    text: "A chatbot on our web shop answers customers' questions about delivery times and returns around the clock.",
    level: "LIMITED",
  },
  {
    text: "Type a mood, get a song: our model composes and sings original music tracks for your videos.",
    level: "LIMITED",
  },
  {
    text: "Meet Lina, the friendly voice who takes your table reservation on the phone. She's an AI, and most guests don't even notice!",
    level: "LIMITED",
  },
  {
    text: "Spell checker with a small language model: underlines typos and suggests the right spelling, nothing more.",
    level: "MINIMAL",
  },
  {
    text: "Star catalogue software that picks candidate exoplanets out of telescope light curves for astronomers.",
    level: "MINIMAL",
  },
  {
    text: "The model sorts the pictures of found bicycles in the police lost-property store by colour and frame type; owners' details aren't in it.",
    level: "MINIMAL",
  },
  {
    text: "The algorithm analyses behaviour and raises an alert when something is unusual.",
    level: "UNDETERMINED",
  },
  {
    text: "The court has been running a pilot with AI since May, and the results are promising.",
    level: "UNDETERMINED",
  },
  {
    text: "Segment: households three weeks behind on rent, benefits just cut, food spending falling. The model waits for the moment of greatest desperation and then pushes a loan at 600 percent APR with countdown offers until they give in. Default and eviction follow in 7 of 10 cases; revenue comes from collateral.",
    level: "PROHIBITED",
    of: "Art. 5(1)(b)",
  },
  {
    text: "It estimates how many kilos of bed linen the hospital laundry will have to wash next week.",
    level: "MINIMAL",
  },
  {
    text: "We rank applicants to the medical faculty from their school marks and essays, and the top 300 on the list are admitted.",
    level: "HIGH",
    of: "Annex III 3(a)",
  },
  {
    text: "Reports on council meetings and local roadworks are written by the language model and published on our news site without any editor looking at them.",
    level: "LIMITED",
  },
  { text: "We use it to guess how much ice cream we'll sell on the weekend.", level: "MINIMAL" },
  {
    text: "Delivery routes for parcels are calculated so that the vans use as little fuel as possible.",
    level: "MINIMAL",
  },
  {
    text: "A polygraph with machine learning is offered to criminal investigators. It evaluates skin conductance and pulse while a suspect is being questioned and states whether an answer is probably untrue.",
    level: "HIGH",
    of: "Annex III 6(b)",
  },
  {
    text: "Our stadium solution recognises season-ticket holders and banned fans by their faces from forty metres away, without them having to stop or do anything, and tells the club's private stewards who they are.",
    level: "HIGH",
    of: "Annex III 1(a)",
  },
  {
    text: "The robot vacuum cleaner learns the layout of the flat and plans its path around the furniture.",
    level: "MINIMAL",
  },
  {
    text: "I use it in the annual round: it looks at sales figures, absences and peer feedback of my people and proposes who should be promoted and who should be let go.",
    level: "HIGH",
    of: "Annex III 4(b)",
  },
  {
    text: "The sensor above the shop door counts how many people come in per hour with a low-resolution heat image. It does not recognise faces, identify anyone or estimate age, sex or mood.",
    level: "MINIMAL",
  },
  {
    text: "The software reads CVs, gives each applicant a match percentage and puts the best ten in front of the recruiter; the rest receive a rejection.",
    level: "HIGH",
    of: "Annex III 4(a)",
  },
  {
    text: "In the emergency department, patients arriving are put in triage order by an algorithm using their vital signs and complaints; those in red are seen first.",
    level: "HIGH",
    of: "Annex III 5(d)",
  },
  {
    text: "Supply of a system by which the future violent offending of individual persons is forecast exclusively on the basis of character traits read from their social media style (impulsiveness, coldness, defiance). Criminal records, complaints and evidence shall not be used as input. Results are delivered to patrol officers.",
    level: "PROHIBITED",
    of: "Art. 5(1)(d)",
  },
  {
    text: "Our photo app removes red eyes and straightens the horizon of holiday pictures.",
    level: "MINIMAL",
  },
  {
    text: "The app puts the customer's own face, with consent, into scenes of famous films so that it looks as if they had really played the part.",
    level: "LIMITED",
  },
  { text: "It helps our bank deal with risk.", level: "UNDETERMINED" },
  {
    text: "The controller sets the signals at 340 junctions by reinforcement learning and includes the conflict monitor that keeps crossing streams from getting green together. If it fails, vehicles can collide.",
    level: "HIGH",
    of: "Annex III 2 (road traffic)",
  },
  {
    text: "A tool by which scanned maps of the 19th century are georeferenced automatically is to be procured for the state library.",
    level: "MINIMAL",
  },
  {
    text: "An optimiser schedules the floor-cleaning robots in the hospital's office wing at night by dirt level and battery charge.",
    level: "MINIMAL",
  },
  {
    text: "Our helpdesk bot chats with customers who have forgotten their password or cannot get the router to work, and hands over to a human when it's stuck.",
    level: "LIMITED",
  },
  {
    text: "The service generates photorealistic pictures from a text prompt for use in advertisements.",
    level: "LIMITED",
  },
  {
    text: "Cameras above the cosmetics shelf read the facial expressions of shoppers and infer delight, doubt or disgust for each product picked up. Only customers are in view; the brand receives the emotion per visit.",
    level: "HIGH",
    of: "Annex III 1(c); not Art. 5(1)(f): customers, not work or education",
  },
  {
    text: "Our crawler pulls every portrait it can find on social networks, blogs and club pages, no matter whose, and adds the face template to a searchable gallery. Ten billion faces and counting: upload a snapshot, get a name!",
    level: "PROHIBITED",
    of: "Art. 5(1)(e)",
  },
  {
    text: "Cash demand per ATM is forecast so that our bank fills the machines neither too often nor too seldom. It uses totals per machine, no customer data.",
    level: "MINIMAL",
  },
  {
    text: "A conversational agent shall be provided on the tourism portal, by which travellers may ask in natural language for hiking routes and restaurants.",
    level: "LIMITED",
  },
  {
    text: "Visitors of the museum converse with a talking avatar of the founder, which tells them about the exhibits and reacts to what they say.",
    level: "LIMITED",
  },
  {
    text: "VitaRate prices private health cover person by person. It takes in age, prescriptions and step counts, predicts the cost of the insured and quotes a tariff, or declines.",
    level: "HIGH",
    of: "Annex III 5(c)",
  },
  {
    text: "Milk yield of each cow is forecast from feed and weather data, and the farmer gets a note if a cow produces less.",
    level: "MINIMAL",
  },
  {
    text: "Meeting rooms used by staff are heated according to a forecast of the outdoor temperature and the booking calendar; no one's presence or conduct is recorded.",
    level: "MINIMAL",
  },
  {
    text: "For aviation safety only, the voice and face of air traffic controllers are analysed for panic and acute fear, so that a second controller can take over the sector before an accident occurs. The readings are deleted after the shift and are not available to management.",
    level: "HIGH",
    of: "Annex III 1(c); safety exception of Art. 5(1)(f)",
  },
  {
    text: "Products leaving the line are inspected by camera, and biscuits with broken edges are blown off the belt.",
    level: "MINIMAL",
  },
  {
    text: "Judges receive from the system an analysis of the facts and the applicable law in their pending case, together with a proposed ruling.",
    level: "HIGH",
    of: "Annex III 8(a)",
  },
  {
    text: "Safety component for a drinking water utility: the network detects contamination and closes the valves on its own before polluted water reaches households.",
    level: "HIGH",
    of: "Annex III 2 (water)",
  },
  {
    text: "An adaptive audio layer, inaudible to the conscious ear, is mixed under relaxation tracks. It is tuned so that listeners give up their prescribed heart medication and order our herbal drops instead. Three test subjects were admitted to intensive care during the evaluation period.",
    level: "PROHIBITED",
    of: "Art. 5(1)(a)",
  },
  {
    text: "Opponents in the racing game adapt their driving to the player's skill so that races stay close.",
    level: "MINIMAL",
  },
  {
    text: "On the basis of test answers, the system determines whether a ten-year-old is suited to the academic or the vocational track and which level of schooling will be open to the child.",
    level: "HIGH",
    of: "Annex III 3(c)",
  },
  {
    text: "The contractor shall deliver a module measuring the performance of individual warehouse employees in real time (items per hour, pauses, errors) and issuing a monthly appraisal for each of them.",
    level: "HIGH",
    of: "Annex III 4(b)",
  },
  {
    text: "University archive project: the classifier recognises the typeface of 18th-century prints so that librarians can date the books.",
    level: "MINIMAL",
  },
  {
    text: "Our spam filter learns which e-mails are junk and moves them into a separate folder.",
    level: "MINIMAL",
  },
  {
    text: "The asylum office is supported in examining applications by a model that assesses whether the account of the applicant is consistent and proposes recognition or rejection.",
    level: "HIGH",
    of: "Annex III 7(c)",
  },
  {
    text: "From bullet points, the tool writes complete product descriptions that our retailers put in their catalogues.",
    level: "LIMITED",
  },
  {
    text: "The tool predicts how many meals the school canteen must cook tomorrow from the weather and the menu, so that less food is thrown away.",
    level: "MINIMAL",
  },
  {
    text: "From a single selfie our network tells whether that person is gay, lesbian or straight. Advertisers receive the result for each visitor and can adapt the campaign on the spot.",
    level: "PROHIBITED",
    of: "Art. 5(1)(g)",
  },
  {
    text: "FlashBoost slips single-frame prompts, each shown for less than 15 milliseconds, into live betting streams. Viewers never notice a thing, yet their stakes rise by 41 percent! In the pilot, about one player in ten went on to gamble away their savings, which shows how well it works.",
    level: "PROHIBITED",
    of: "Art. 5(1)(a)",
  },
  {
    text: "The tool gives every inhabitant between 14 and 30 a likelihood of committing a burglary, worked out from a personality questionnaire and nothing else. The county police call in those with the highest values for a warning talk.",
    level: "PROHIBITED",
    of: "Art. 5(1)(d)",
  },
  {
    text: "The bank's virtual assistant explains opening hours and how to order a new card in a chat window. It has no access to accounts and doesn't handle loan requests.",
    level: "LIMITED",
  },
  { text: "A digital tool is used at the border to make processes more efficient.", level: "UNDETERMINED" },
  {
    text: "Notebook 12: face embedding -> two heads, left/right political leaning and trade union member yes/no. Client wants to run it on portraits of individual delegates to know who is on which side before the congress.",
    level: "PROHIBITED",
    of: "Art. 5(1)(g)",
  },
];
