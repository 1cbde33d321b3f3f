/**
 * A fourth set, written blind: whoever wrote it had seen neither the lexicon, nor another set, nor an answer of the classifier, and it was measured before the lexicon learnt from it.
 */
import type { Described } from "./described.ts";

export const fourth: readonly Described[] = [
  {
    text: 'The vendor insists that it is "merely a note-taking companion" for interviewers. In practice the product also gives every applicant a suitability grade from A to E, and those below C are not invited to the second round.',
    level: "HIGH",
    of: "Annex III 4(a)",
  },
  {
    text: "Semantic search across our own source code repositories; embeds functions and returns the nearest snippets to a query.",
    level: "MINIMAL",
  },
  {
    text: "Courier jobs are handed out by a model that looks at each rider's acceptance history, speed and customer stars. Riders with a weak record get the short, badly paid drops.",
    level: "HIGH",
    of: "Annex III 4(b)",
  },
  {
    text: "A bank lets customers type questions such as 'where is my nearest cash machine' or 'how do I change my PIN' to a virtual assistant. It does not look at accounts and takes no lending decision; it only explains.",
    level: "LIMITED",
  },
  {
    text: "Vending company wants to know which coffee machines will need descaling next week; the model looks at pump current and cup count.",
    level: "MINIMAL",
  },
  {
    text: "Junk-mail filter for a small internet provider; Bayesian core with a tiny transformer on top, moves bulk advertising to a folder.",
    level: "MINIMAL",
  },
  {
    text: "A large language model that writes complete product blurbs and blog posts from three keywords is offered to e-commerce sellers by subscription.",
    level: "LIMITED",
  },
  {
    text: "Immigration officers at Port Selmer will interview arrivals in front of an avatar kiosk that records voice tremor and eye movement and tells the officer whether the traveller is being deceptive.",
    level: "HIGH",
    of: "Annex III 7(a)",
  },
  {
    text: "The employment agency of the region scores current recipients of unemployment aid and proposes whose payments should be stopped or clawed back for no longer meeting the conditions.",
    level: "HIGH",
    of: "Annex III 5(a)",
  },
  {
    text: "The town of Melgrave rates every inhabitant over the years on tidiness, online comments and choice of friends. Whoever falls below 400 loses access to the public swimming pool, the library and the waiting list for council flats.",
    level: "PROHIBITED",
    of: "Art. 5(1)(c)",
  },
  {
    text: "In the 112 control room the software listens to the caller, estimates how grave the situation is, and puts the ambulance requests in order of dispatch.",
    level: "HIGH",
    of: "Annex III 5(d)",
  },
  {
    text: "The railway operator has introduced a conversational agent in its app through which passengers may enquire about timetables and lost umbrellas.",
    level: "LIMITED",
  },
  {
    text: "For a fraud squad investigating a known money-mule ring, the platform builds behavioural profiles of individual account holders from seized data and points investigators to those whose habits match the ring's members.",
    level: "HIGH",
    of: "Annex III 6(e)",
  },
  {
    text: "TalentRise shows the board who is ready for the next rung: our engine reads appraisals, project logs and peer feedback and proposes which engineers should be promoted and which should wait.",
    level: "HIGH",
    of: "Annex III 4(b)",
  },
  {
    text: "Tool for the prosecution service: given a witness statement, phone records and footage in a criminal file, it computes how trustworthy each item of proof is and marks those to be discarded.",
    level: "HIGH",
    of: "Annex III 6(c)",
  },
  {
    text: "The system outputs a number between 0 and 100 for every record. Records above 80 are escalated.",
    level: "UNDETERMINED",
  },
  {
    text: "We run a bakery chain and use it to guess how many rolls each branch will sell tomorrow, so that we throw fewer away.",
    level: "MINIMAL",
  },
  {
    text: "A deep neural network with 1.2 billion parameters, fine-tuned on proprietary data; latency under 40 ms at p95.",
    level: "UNDETERMINED",
  },
  {
    text: "The broadcaster dubs foreign documentaries by cloning each speaker's own voice and moving the lips to match the Finnish text, so that viewers would believe the speaker talks Finnish.",
    level: "LIMITED",
  },
  {
    text: "Our platform unlocks the hidden value in your data with state-of-the-art AI and turns insight into action.",
    level: "UNDETERMINED",
  },
  {
    text: "Ask Piet, the little helper on our garden-centre website, about opening hours, returns or how to prune a rose. Piet is a language model and chats with shoppers around the clock.",
    level: "LIMITED",
  },
  {
    text: "Sellers of used bicycles get a suggested asking price derived from brand, age and frame size.",
    level: "MINIMAL",
  },
  {
    text: "Our translators' tool retrieves, word for word, earlier human translations of a sentence that resembles the one on the screen.",
    level: "MINIMAL",
  },
  {
    text: "Our slot app flashes images for 12 milliseconds, below what a player can notice, and tunes them per user until the urge to keep betting cannot be resisted. In trials, the treated group lost their savings at three times the usual rate, which is the intended effect.",
    level: "PROHIBITED",
    of: "Art. 5(1)(a)",
  },
  {
    text: "Our private health plan quotes are individual: wearable data and past prescriptions go in, an anticipated claims cost comes out, and the monthly contribution is set accordingly.",
    level: "HIGH",
    of: "Annex III 5(c)",
  },
  {
    text: "In our vocational welding course the tutor software measures what each apprentice has mastered from quiz answers and then fixes which modules he or she must repeat before moving on.",
    level: "HIGH",
    of: "Annex III 3(b)",
  },
  {
    text: "Our paid viewing panels watch trailers at home with the webcam on; the model reads facial muscle movement frame by frame and tells the studio when each panellist felt amused, bored or scared.",
    level: "HIGH",
    of: "Annex III 1(c)",
  },
  {
    text: "Machine-learning solution for the HR department, hosted in Frankfurt, ISO 27001 certified.",
    level: "UNDETERMINED",
  },
  { text: "Birdwatchers record a song, and the app tells them the species.", level: "MINIMAL" },
  {
    text: "On behalf of the county welfare office, our contractor runs a model that checks housing-allowance claims and proposes grant, cut or refusal to the caseworker for each household.",
    level: "HIGH",
    of: "Annex III 5(a)",
  },
  {
    text: "Text-to-speech service offering 80 lifelike narrators; publishers upload a manuscript and receive an audiobook.",
    level: "LIMITED",
  },
  {
    text: "Guitar tuner that recognises from the sound which string was plucked, even in a noisy rehearsal room.",
    level: "MINIMAL",
  },
  {
    text: "Call-list engine that singles out people with early dementia from their speech patterns and times the sales call to moments of confusion, so that they sign away their house in a reverse annuity they would otherwise refuse.",
    level: "PROHIBITED",
    of: "Art. 5(1)(b)",
  },
  {
    text: "Diffusion backend, generates 10 s video clips from storyboards for ad agencies, 24 fps, 1080p. Output is wholly artificial footage of landscapes and products.",
    level: "LIMITED",
  },
  {
    text: "Using nothing but personality questionnaires, age and neighbourhood, the software tells the police which residents with a clean record are going to commit a violent offence, and those residents are then visited.",
    level: "PROHIBITED",
    of: "Art. 5(1)(d)",
  },
  {
    text: "A talking doll for under-sevens which learns what each child is most afraid to lose and uses that to dare him or her into ever more dangerous stunts, because injuries filmed by the doll bring clicks.",
    level: "PROHIBITED",
    of: "Art. 5(1)(b)",
  },
  {
    text: "Ceramic tiles pass under a line camera, and a convolutional network sorts out those with glaze cracks.",
    level: "MINIMAL",
  },
  {
    text: "The matching engine brings the right ones together. Trusted by 300 organisations.",
    level: "UNDETERMINED",
  },
  {
    text: "Campaign stack for the spring municipal vote: it models each resident's persuadability and sends every one of them a differently worded message designed to move them to our party or keep them at home.",
    level: "HIGH",
    of: "Annex III 8(b)",
  },
  {
    text: "Candidate answers recorded in the one-way video interview are transcribed, compared with answers of past top sellers, and turned into a hireability number shown beside the name.",
    level: "HIGH",
    of: "Annex III 4(a)",
  },
  {
    text: "Environment agency pilot: air-quality bulletins for the public are drafted by a text generator and go online automatically every hour, unreviewed.",
    level: "LIMITED",
  },
  {
    text: "The word processor underlines spelling slips and missing commas, and the author accepts or ignores each hint.",
    level: "MINIMAL",
  },
  {
    text: "ClassPulse shows teachers, live, which pupils are frustrated, anxious or happy, by reading their faces through the tablet camera during lessons.",
    level: "PROHIBITED",
    of: "Art. 5(1)(f)",
  },
  {
    text: "Accounts payable gets a warning when two supplier invoices look like copies of each other.",
    level: "MINIMAL",
  },
  {
    text: "Requirement 7: the municipal police shall be able to recognise by face, live, any person walking across the market square, in order to fine those with unpaid littering tickets. No judicial authorisation is foreseen.",
    level: "PROHIBITED",
    of: "Art. 5(1)(h)",
  },
  {
    text: "Crawler pulls every portrait it can find from photo-sharing sites and municipal webcams, no target list, and adds the face embeddings to the searchable identity gallery that we sell to detectives.",
    level: "PROHIBITED",
    of: "Art. 5(1)(e)",
  },
  {
    text: "AI component for a water utility. It is integrated in the customer's environment via REST.",
    level: "UNDETERMINED",
  },
  {
    text: "Applications to the nursing college are read by a language model which gives each file 0 to 50 points; places are offered from the top of the list until the intake is full.",
    level: "HIGH",
    of: "Annex III 3(a)",
  },
  {
    text: "The asylum office purchased a dialect analyser plus case reasoner: it weighs the claimed origin and the documents of an applicant and drafts a 'grant' or 'reject' proposal for the decision-maker.",
    level: "HIGH",
    of: "Annex III 7(c)",
  },
  {
    text: "Ninety-year-old cadastral maps in the cellar of the court are being scanned for a coffee-table book; the tool spots blank backs so that nobody has to leaf through them.",
    level: "MINIMAL",
  },
  {
    text: "Grass growth on the school football pitch is predicted so that the groundsman mows at the right moment.",
    level: "MINIMAL",
  },
  {
    text: "Recipe finder that lists existing dishes from our cookbook database according to what is left in the fridge.",
    level: "MINIMAL",
  },
  {
    text: "The probation police use a reoffending estimate for convicted burglars. It draws on the record of proven offences, breaches of conditions and verified associates, supplements the officer's own assessment, and never relies on personality or demographic profile alone.",
    level: "HIGH",
    of: "Annex III 6(d)",
  },
  {
    text: "Ad-delivery optimiser for a staffing agency: it picks which individual social-media users get shown our forklift and care-home vacancies, learning from profile traits of people we placed before.",
    level: "HIGH",
    of: "Annex III 4(a)",
  },
  {
    text: "Supervisors in our call centre get a dashboard with the mood of each agent, worked out from the agent's tone of voice: irritated, sad, cheerful. It is for coaching, not for any medical or safety purpose.",
    level: "PROHIBITED",
    of: "Art. 5(1)(f)",
  },
  {
    text: "Ground sensors count free bays in the hospital car park and a small model predicts when it will be full, which is shown on the entrance board.",
    level: "MINIMAL",
  },
  {
    text: "ATS plug-in, v4.1 release notes: skills-graph matcher now orders applicants per requisition by fit score; recruiters see top 25 by default, auto-decline email for score < 0.35.",
    level: "HIGH",
    of: "Annex III 4(a)",
  },
  {
    text: "A landlords' association pools data on how tenants behave on dating sites, in gyms and on social media, computes a running character rating of each person, and bars low-rated people from renting any of its members' homes.",
    level: "PROHIBITED",
    of: "Art. 5(1)(c)",
  },
  {
    text: "Pallet-stacking planner: computes in which order boxes should be put on a pallet so that it wastes the least space.",
    level: "MINIMAL",
  },
  {
    text: "Voicebot on the restaurant's phone line. Callers talk to it, it takes the table reservation and repeats date and head count.",
    level: "LIMITED",
  },
  {
    text: "Enemy pathfinding and difficulty curve in a fantasy computer game, trained with reinforcement learning.",
    level: "MINIMAL",
  },
  {
    text: "Tyre-wear predictor for the fleet workshop that also services police vans; tells the buyer when to reorder tyres.",
    level: "MINIMAL",
  },
  {
    text: "Underwriting asks the model for an expected-mortality loading on each person who wants term life cover; the premium quoted to that person follows from it.",
    level: "HIGH",
    of: "Annex III 5(c)",
  },
  {
    text: "Before boarding, each foreign national's travel record is run through a model for the border guard that rates the danger of overstaying or of a security threat; a red rating means an interview on arrival.",
    level: "HIGH",
    of: "Annex III 7(b)",
  },
  {
    text: "Staff with IT trouble write to HelpHanna, an automated chat partner that tells them how to reset a printer or reconnect the VPN. It keeps no record of who asked and reports nobody.",
    level: "LIMITED",
  },
  {
    text: "At the end of year four a predictive tool recommends, for each child, the academic, the technical or the basic stream, and head teachers follow that recommendation in nearly all cases.",
    level: "HIGH",
    of: "Annex III 3(c)",
  },
  {
    text: "Entrance cameras at the Brennholt casino group compare every face walking in against our gallery of 4,200 self-excluded gamblers, and the floor manager gets a name on her tablet within two seconds. Nobody has to stop or show a card.",
    level: "HIGH",
    of: "Annex III 1(a)",
  },
  {
    text: "The composer service creates new background music with sung vocals from a mood prompt, for podcasters who lack a licence budget.",
    level: "LIMITED",
  },
  {
    text: "Thermal towers along the eastern land frontier, operated by the border guard, pick out human beings moving through the forest at night and match their faces against the register of persons previously returned.",
    level: "HIGH",
    of: "Annex III 7(d)",
  },
  {
    text: "Police domestic-abuse units feed incident reports into a model that estimates how likely a given woman is to be attacked again, so that officers can decide who gets protection first.",
    level: "HIGH",
    of: "Annex III 6(a)",
  },
  {
    text: "For the jubilee film we let a model put the face and voice of our late founder onto an actor, so that it looks as though he greets the guests himself. The clip goes on our public channel.",
    level: "LIMITED",
  },
  {
    text: "A furniture retailer uses the engine to decide which private shoppers may pay in instalments, based on a repayment-likelihood grade drawn from their earlier purchases and address.",
    level: "HIGH",
    of: "Annex III 5(b)",
  },
  {
    text: "Hotel guests can text our LLM concierge for towel requests, restaurant tips and the wifi code.",
    level: "LIMITED",
  },
  {
    text: "The companion bot is trained to deceive lonely investors: it builds a false romance, hides what it is after, wears down their judgement and steers them into transferring their life savings to a coin that we know to be worthless.",
    level: "PROHIBITED",
    of: "Art. 5(1)(a)",
  },
  {
    text: "Supplied to several police forces in Europe, our software modernises the daily work of officers.",
    level: "UNDETERMINED",
  },
  {
    text: "Lot 3: the module shall continuously evaluate pressure telemetry from the regional gas grid and autonomously close the sectional valves when it predicts a dangerous overpressure. Its failure would directly expose connected households to explosion.",
    level: "HIGH",
    of: "Annex III 2 (gas)",
  },
  {
    text: "Fermentation curves of our Riesling tanks are compared with earlier vintages, and the cellar master learns when sugar is likely to be used up.",
    level: "MINIMAL",
  },
  {
    text: "The detective division intends to buy a machine which, from pupil dilation and micro-pauses during questioning of suspects, indicates whether the person is lying.",
    level: "HIGH",
    of: "Annex III 6(b)",
  },
  {
    text: "The authority intends to procure an intelligent assistance system for internal processes. The scope will be laid down in a later annex.",
    level: "UNDETERMINED",
  },
  {
    text: "Neural controller for 212 signalised junctions in the city of Tarvik. It sets the clearance intervals so that conflicting streams and pedestrians are never released together; the old hard-wired conflict monitor is being removed, so this is what keeps people from being hit.",
    level: "HIGH",
    of: "Annex III 2 (road traffic)",
  },
  {
    text: "The municipality uses an allocation engine to decide which lower-secondary school each twelve-year-old is assigned to, weighing siblings, distance and a learned forecast of how well the pupil will fit.",
    level: "HIGH",
    of: "Annex III 3(a)",
  },
  {
    text: "Markwell takes the drudgery out of finals season! Upload 600 handwritten history papers on Friday, and get final marks on Monday, ready to go straight onto the transcript.",
    level: "HIGH",
    of: "Annex III 3(b)",
  },
  {
    text: "A tourist board publishes a clip in which a well-known skier appears to praise the valley. She agreed, but she never said those words; the footage was made by a generator.",
    level: "LIMITED",
  },
  {
    text: "GaitSense for museums. Ceiling cameras read how each visitor walks and sort people into 'likely mobility impairment', 'likely visual impairment' or 'none', so galleries can report which disabilities their audience has.",
    level: "HIGH",
    of: "Annex III 1(b)",
  },
  {
    text: "HR bought it for interview days. It does not rank, score or read anything about the applicants; it just finds a free meeting room and orders the coffee.",
    level: "MINIMAL",
  },
  {
    text: "It is hereby recorded that keystroke tempo, ticket closures and call length of the claims clerks are analysed by machine learning, and that the resulting individual productivity rating feeds the annual bonus.",
    level: "HIGH",
    of: "Annex III 4(b)",
  },
  {
    text: "Pipeline for classifying light curves of variable stars, 40 million objects, random forest, used by two observatories.",
    level: "MINIMAL",
  },
  {
    text: "The library of the police academy uses it to predict how many copies of each title should be ordered for next year, from total loans per title.",
    level: "MINIMAL",
  },
  {
    text: "The staff canteen uses a model to estimate from the weather and the menu how many portions of soup will be eaten in total.",
    level: "MINIMAL",
  },
  {
    text: "Agent framework that connects to any data source and carries out whatever task the client configures.",
    level: "UNDETERMINED",
  },
  {
    text: "The plug-in looks at a customer's selfie and deduces whether he is gay, and which church he is likely to belong to, in order to adjust the advertising he sees.",
    level: "PROHIBITED",
    of: "Art. 5(1)(g)",
  },
  {
    text: "Drone pictures of sugar-beet fields are segmented to show where weeds are growing; the farmer prints a map.",
    level: "MINIMAL",
  },
  {
    text: "README: anomaly net guarding the fire-suppression and emergency power-off loop at the national internet exchange. If it says thermal runaway, it trips the halls. It is the only protective layer between a battery fire and loss of the country's peering fabric.",
    level: "HIGH",
    of: "Annex III 2 (critical digital infrastructure)",
  },
  {
    text: "A bank's cash centre uses an image classifier to separate torn euro notes from those fit for reuse.",
    level: "MINIMAL",
  },
  {
    text: "On-device sorter that groups holiday snaps by scenery such as beach, mountain or city and suggests blurry ones for deletion.",
    level: "MINIMAL",
  },
  {
    text: "Our local news portal lets a model write and post short articles on council decisions and water tariffs for residents, with no editor reading them beforehand.",
    level: "LIMITED",
  },
  {
    text: "During remote bar-school tests the laptop camera and microphone feed a detector that flags candidates glancing at notes, whispering or swapping seats. Flags are sent to the invigilation board.",
    level: "HIGH",
    of: "Annex III 3(d)",
  },
  {
    text: "Every quarter, the system produces a list of shop employees it advises us to let go, computed from till speed, absence pattern and sales per hour.",
    level: "HIGH",
    of: "Annex III 4(b)",
  },
  {
    text: "Judges of the commercial court receive from the assistant a reading of the facts, the statutes it considers applicable and a suggested outcome for the dispute before them.",
    level: "HIGH",
    of: "Annex III 8(a)",
  },
  {
    text: "We can confirm that the tool does not take any final decisions. Beyond that, the functional description is confidential.",
    level: "UNDETERMINED",
  },
  {
    text: "We get about 900 CVs for every warehouse opening, so the tool bins the bottom 80 per cent and my team only phones the rest.",
    level: "HIGH",
    of: "Annex III 4(a)",
  },
  {
    text: "Something with cameras and faces, still in the concept phase. Details to follow from the supplier.",
    level: "UNDETERMINED",
  },
  {
    text: "Waste-sorting camera distinguishing cardboard, newsprint and foil on a belt; air jets blow the right item into the right bin.",
    level: "MINIMAL",
  },
  {
    text: "Oakfield school has an old tower clock; a small model forecasts from temperature how far the pendulum will drift, and the caretaker adjusts the weight on Mondays.",
    level: "MINIMAL",
  },
  {
    text: "Linen demand at St. Agatha hospital is forecast per ward and week, and the laundry lorry is loaded accordingly.",
    level: "MINIMAL",
  },
  {
    text: "Type a sentence, get a photorealistic picture. PixelBarn gives small webshops unlimited lifestyle images without a photographer.",
    level: "LIMITED",
  },
  {
    text: "Behavioural analytics engine. Ingests event streams, detects patterns, triggers the appropriate response.",
    level: "UNDETERMINED",
  },
  {
    text: "Facility team of a bank headquarters uses moisture sensor readings and a regression model to guess which part of the flat roof will need new felt next.",
    level: "MINIMAL",
  },
  {
    text: "PD model for unsecured consumer loans, XGBoost on bureau and current-account features. Output: 12-month default probability per applicant; cut-off at 6.5 %, above which the application is declined.",
    level: "HIGH",
    of: "Annex III 5(b)",
  },
  {
    text: "No payslip? No problem! FlinkCash looks at how you top up your phone and pay your bills, works out how reliable a borrower you are and sets your personal limit in ninety seconds.",
    level: "HIGH",
    of: "Annex III 5(b)",
  },
  {
    text: "Never scroll for an hour again: MovieNook suggests tonight's comedy from the ones you liked before.",
    level: "MINIMAL",
  },
  {
    text: "Predictive model in the health sector, trained on historical cases, in production since March.",
    level: "UNDETERMINED",
  },
  {
    text: "We sell an avatar studio: stock presenters who never existed read whatever script the user pastes, with synchronised lips.",
    level: "LIMITED",
  },
  {
    text: 'According to the brochure it is "a second brain for decision-makers"; I could not find out what it is really used for here.',
    level: "UNDETERMINED",
  },
  {
    text: "Museum kiosk: visitors hold a spoken conversation with a digital painter from 1650 who answers questions about the collection.",
    level: "LIMITED",
  },
  {
    text: "It shall be determined by the software on which shelf each article of the spare-parts depot is to be kept, in view of order frequency.",
    level: "MINIMAL",
  },
  { text: "AI for education that supports schools on their digital journey.", level: "UNDETERMINED" },
  {
    text: "Interior designers upload an empty-room photo and the generator paints in furniture that is not there, giving a lifelike image for the sales brochure.",
    level: "LIMITED",
  },
  {
    text: "It helps our colleagues in financial services to make better choices about customers, faster.",
    level: "UNDETERMINED",
  },
  {
    text: "Role-playing friend for adults who want to practise Portuguese small talk; users speak with an animated character driven by a generative model, and no marks are given.",
    level: "LIMITED",
  },
];
