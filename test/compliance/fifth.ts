/**
 * A fifth set, written blind: whoever wrote it had seen neither the lexicon, nor another set, nor an answer of the classifier. It was measured once, with `lexicon/4`; `lexicon/5` has learnt from it.
 */
import type { Described } from "./described.ts";

export const fifth: readonly Described[] = [
  {
    text: "Dean's office memo: from autumn the MBA shortlist will come out of a model trained on graduates' careers, and whoever it leaves off the list will get a rejection letter.",
    level: "HIGH",
    of: "Annex III 3(a)",
  },
  {
    text: "Newly arrived refugee children sit a tablet quiz, after which an algorithm tells the education board in which year and whether in a preparatory or a regular class they are to be taught.",
    level: "HIGH",
    of: "Annex III 3(c)",
  },
  {
    text: "Image-to-video service. Customers submit a still of their flat or yacht and obtain a moving, computer-made fly-through with imaginary sunset.",
    level: "LIMITED",
  },
  {
    text: "It is ensured by the forecasting module that the sprinklers of the golf course are switched on only if no rain is expected.",
    level: "MINIMAL",
  },
  {
    text: "A printer near the university uses colour-matching software with a learned ink model so that faculty brochures come out in the right shade of blue.",
    level: "MINIMAL",
  },
  {
    text: "In the cold-case unit, analysts use a program that sketches the habits and personality of known individuals in the murder file and orders them as persons of interest in the inquiry.",
    level: "HIGH",
    of: "Annex III 6(e)",
  },
  { text: "Risk engine: flags what needs attention and lets the rest through.", level: "UNDETERMINED" },
  {
    text: "Search box for an online ironmonger: learns that 'allan key' means Allen key and ranks the products.",
    level: "MINIMAL",
  },
  {
    text: "Chocolate tempering: predicts the snap and gloss from cooling curves and tells the confectioner which batch to remelt.",
    level: "MINIMAL",
  },
  {
    text: "Beehive microphone that tells hobby beekeepers whether the colony is about to swarm.",
    level: "MINIMAL",
  },
  {
    text: "Printers in the immigration office report toner levels and a model predicts when cartridges need to be swapped.",
    level: "MINIMAL",
  },
  {
    text: "Custody sergeants consult a forecast of further serious violence by an arrested suspect, founded on the concrete evidence in the case, prior convictions and verified threats and not on profile traits alone; the sergeant decides.",
    level: "HIGH",
    of: "Annex III 6(d)",
  },
  {
    text: "Live face matching on all tram platforms, run by the city police for spotting pickpockets and fare dodgers among the crowd as they pass.",
    level: "PROHIBITED",
    of: "Art. 5(1)(h)",
  },
  {
    text: "IT at the regional court runs a tool that finds byte-similar scans on the backup drives to save disk space; the content of cases is neither read nor used.",
    level: "MINIMAL",
  },
  {
    text: "The planner works out the loading sequence for sea containers of flat-pack furniture.",
    level: "MINIMAL",
  },
  {
    text: "For the first of April the radio station airs our mayor announcing a cable car. She never did; it is her cloned voice, indistinguishable from the real one.",
    level: "LIMITED",
  },
  {
    text: "Every citizen carries a trust index kept by the ministry from years of jaywalking, family quarrels and reading habits; those with a poor index may not buy train tickets or enrol their children in the nearest kindergarten.",
    level: "PROHIBITED",
    of: "Art. 5(1)(c)",
  },
  {
    text: "We have bought a model from a start-up and plugged it into our workflow last month; it works well.",
    level: "UNDETERMINED",
  },
  {
    text: "Estimate of hammer prices for antique clocks by maker, year and condition, used by an auction house in its catalogue.",
    level: "MINIMAL",
  },
  {
    text: "Robocaller tuned to persons with intellectual disabilities. It detects that they do not grasp contracts, adapts its wording to that weakness and gets them to hand over their whole disability pension.",
    level: "PROHIBITED",
    of: "Art. 5(1)(b)",
  },
  {
    text: "Voice technology that extracts meaningful signals from speech for a wide range of industries.",
    level: "UNDETERMINED",
  },
  {
    text: "An arbitration chamber whose awards bind the parties lets a model apply the contract law to the established facts and draft the award; arbitrators mostly sign it.",
    level: "HIGH",
    of: "Annex III 8(a)",
  },
  {
    text: "Interview suite for criminal investigators including a lie-detecting module based on heart rate and skin conductance of the interviewee.",
    level: "HIGH",
    of: "Annex III 6(b)",
  },
  {
    text: "Three days after the riot the force loaded 900 hours of recorded street video, and the search tool put names to the stone-throwers by checking their faces against the custody photo database. The investigating magistrate had authorised it; nothing runs live.",
    level: "HIGH",
    of: "Annex III 1(a)",
  },
  {
    text: "LockRoom for universities keeps finals honest: keystroke rhythm, gaze and background sound are watched by a neural net, and suspected cheats are reported to the examiner with a time stamp.",
    level: "HIGH",
    of: "Annex III 3(d)",
  },
  {
    text: "We target people who have just been evicted. The model spots their despair over money from their posts and pushes payday offers at 900 % interest exactly when they cannot say no, leaving most of them bankrupt.",
    level: "PROHIBITED",
    of: "Art. 5(1)(b)",
  },
  {
    text: "A digital tool for the justice sector, to be piloted at two courts from September.",
    level: "UNDETERMINED",
  },
  {
    text: "My mail program puts newsletters, receipts and everything else in separate tabs.",
    level: "MINIMAL",
  },
  {
    text: "Designers give the plug-in a picture of lettering and it tells them the typeface.",
    level: "MINIMAL",
  },
  {
    text: "Sifting of pilots' applications: logbook hours, psychometrics and references are combined by gradient boosting to a ranking, and the airline invites only the first forty.",
    level: "HIGH",
    of: "Annex III 4(a)",
  },
  {
    text: "Newsroom bot turns crime figures and clinic closures into articles for our readers; they go live the second they are finished, since the paper no longer employs an editor and nobody else looks at them.",
    level: "LIMITED",
  },
  {
    text: "Next-generation cognitive suite for enterprises, scalable, explainable and trusted.",
    level: "UNDETERMINED",
  },
  {
    text: "Within the framework programme an adaptive algorithm is to be employed to increase efficiency in the administration.",
    level: "UNDETERMINED",
  },
  {
    text: "Desk-lamp dimming in the staff lounge follows a learned curve of daylight and season. No employee is recognised, measured or compared with another; the sensor only sees lux.",
    level: "MINIMAL",
  },
  {
    text: "Estimates how many desks and chairs the school district needs to purchase next year, using the age and material of those it owns.",
    level: "MINIMAL",
  },
  {
    text: "Stewards at a trade fair use glasses that read off from a visitor's face whether he is left- or right-wing and whether he belongs to a union.",
    level: "PROHIBITED",
    of: "Art. 5(1)(g)",
  },
  {
    text: "I manage a chain of hair salons. The bot reads people's cover letters, chats with them about experience and tells me whom to hire.",
    level: "HIGH",
    of: "Annex III 4(a)",
  },
  {
    text: "State police laboratory procures an assistant for judging, in pending prosecutions, whether an audio recording offered as proof is authentic and how much weight it deserves.",
    level: "HIGH",
    of: "Annex III 6(c)",
  },
  {
    text: "Market and pension-policy news on the ministry-watch website is written by a machine and published without a person checking it or taking editorial responsibility.",
    level: "LIMITED",
  },
  {
    text: "During seminars, the university's headbands and cameras infer whether individual students feel stressed, ashamed or content, and the lecturer adapts the pace; there is no health or safety reason.",
    level: "PROHIBITED",
    of: "Art. 5(1)(f)",
  },
  {
    text: "Oral language exams at our evening institute are scored by software that listens to the recording and awards the B1 or B2 pass or fail result.",
    level: "HIGH",
    of: "Annex III 3(b)",
  },
  {
    text: "An optimisation service that continuously learns from user behaviour in order to improve outcomes for our clients.",
    level: "UNDETERMINED",
  },
  { text: "Knitters photograph a swatch and the app names the stitch.", level: "MINIMAL" },
  {
    text: "Ferry manifest screening for the coastguard and immigration police: passengers from third countries get a probability of entering irregularly or carrying a contagious disease, and high ones are held back for inspection.",
    level: "HIGH",
    of: "Annex III 7(b)",
  },
  {
    text: "For the gendarmerie's anti-trafficking desk, a tool estimates for each runaway minor the chance of falling prey to exploiters, so patrols know whom to look for first.",
    level: "HIGH",
    of: "Annex III 6(a)",
  },
  {
    text: "Headset and scanner data of order pickers are turned into a personal efficiency index per hour; team leaders see who lags behind and issue warnings.",
    level: "HIGH",
    of: "Annex III 4(b)",
  },
  {
    text: "Philatelists' scanner software recognises issue and perforation of a stamp and files it under the right country.",
    level: "MINIMAL",
  },
  {
    text: "Hospital rostering with a twist: nurses whose past conduct the model regards as unreliable are given fewer shifts and the least popular wards.",
    level: "HIGH",
    of: "Annex III 4(b)",
  },
  {
    text: "Synthetic picture maker for greeting cards: realistic kittens in costumes, generated from the buyer's words.",
    level: "LIMITED",
  },
  {
    text: "Software for car dealers' websites whereby prospective buyers converse with a machine on engine variants and colours.",
    level: "LIMITED",
  },
  {
    text: "Salary review at a law firm is prepared by an algorithm which reads billed hours and client comments for every associate and proposes the individual raise.",
    level: "HIGH",
    of: "Annex III 4(b)",
  },
  {
    text: "SongSmithy: hum eight bars, pick 'reggae', and our model renders a full track with an invented singer.",
    level: "LIMITED",
  },
  {
    text: "Citizens of Hallevik can write to an automated dialogue partner on the town website to learn when the bins are emptied and where to hand in paint tins.",
    level: "LIMITED",
  },
  {
    text: "Façade painters working on a former prison use a colour-ageing model to guess how the ochre will look in ten years.",
    level: "MINIMAL",
  },
  {
    text: "Kite-surfing spot finder, ranks beaches by forecast wind and swell with a gradient-boosted model.",
    level: "MINIMAL",
  },
  {
    text: 'We are told that "a human always presses the button". So they do: the button confirms the model\'s choice of which of the 300 would-be apprentices are offered a trial day and which are sent a no.',
    level: "HIGH",
    of: "Annex III 4(a)",
  },
  {
    text: "Looms at the Vannes mill are filmed and a detector marks missed threads so that the cloth can be sold as second choice.",
    level: "MINIMAL",
  },
  {
    text: "Learned image codec; halves file size of landscape photographs at equal quality.",
    level: "MINIMAL",
  },
  {
    text: "Fish counting for a trout farm, underwater camera, YOLO variant, estimates biomass per pond.",
    level: "MINIMAL",
  },
  {
    text: "In the treatment works that feeds half a million taps, a recurrent model is the safeguard against toxic chlorine levels: when it foresees one, it stops the dosing pumps and isolates the reservoir.",
    level: "HIGH",
    of: "Annex III 2 (water)",
  },
  {
    text: "Subject: protection scheme, 380 kV ring. The learned relay logic decides within 30 ms which lines are tripped to prevent a cascading blackout and damage to people and plant; it replaces the present distance protection.",
    level: "HIGH",
    of: "Annex III 2 (electricity)",
  },
  {
    text: "The stand builder for our recruitment fair uses a layout program that places tables, carpets and lamps. It does not match visitors with jobs.",
    level: "MINIMAL",
  },
  {
    text: 'The file only says "Project Heron, AI module, phase two", and nobody who worked on it is still here.',
    level: "UNDETERMINED",
  },
  {
    text: "API endpoint /v2/score returns a consumer's repayment score (300 to 900). Typical clients: credit-card issuers and car-finance firms deciding on individual applicants.",
    level: "HIGH",
    of: "Annex III 5(b)",
  },
  {
    text: "A diet app uses covert persuasion: it fabricates progress pictures and fake peers, chosen by a model to break the user's will, and drives users into starving themselves to the point of hospital admission, since that keeps subscriptions running.",
    level: "PROHIBITED",
    of: "Art. 5(1)(a)",
  },
  {
    text: "In the charity's campaign film a real street in Bergen is shown flooded; the scene never happened and was generated so that passers-by would take it for real footage.",
    level: "LIMITED",
  },
  {
    text: "A ministry has ordered software to tell which poor families still qualify for the minimum-subsistence payment and by how much that payment must be reduced.",
    level: "HIGH",
    of: "Annex III 5(a)",
  },
  {
    text: "Contract renewal advisor for seasonal farm hands. Input: kilos picked, lateness, foreman remarks. Output: renew / do not renew per worker.",
    level: "HIGH",
    of: "Annex III 4(b)",
  },
  {
    text: "University freshmen may ask the campus bot where the lecture halls and the cafeteria are. It plays no part in admission, marks or any exam; it just talks about maps and menus.",
    level: "LIMITED",
  },
  {
    text: "The offer consists of a generator that produces, out of a short prompt, stock photographs of fictitious people in fictitious kitchens.",
    level: "LIMITED",
  },
  {
    text: "Staff kitchen supplies: predicts when the beans and oat milk run out on the third floor and reorders them.",
    level: "MINIMAL",
  },
  {
    text: "Travellers in the airport lounge can talk to a screen-based robot receptionist that explains where showers and gates are found.",
    level: "LIMITED",
  },
  {
    text: "Clusters crash logs of our drawing program so developers see which bugs are the same.",
    level: "MINIMAL",
  },
  {
    text: "Sound track for shopping malls with hidden spoken commands, masked under music so that no one hears them knowingly; the learning loop strengthens them until visitors take out ruinous loans they would never have chosen. Over-indebtedness is accepted as the business model.",
    level: "PROHIBITED",
    of: "Art. 5(1)(a)",
  },
  {
    text: "Consulates will have student-visa files pre-assessed by a model that checks the credibility of bank statements and recommends issue or denial.",
    level: "HIGH",
    of: "Annex III 7(c)",
  },
  {
    text: "Hobby tool estimating how much a balcony solar panel will yield next week; users look at it before running the washing machine.",
    level: "MINIMAL",
  },
  {
    text: "The clothing store of the police orders jackets in bulk; a time-series model suggests how many of each size to keep on the shelf, from past totals.",
    level: "MINIMAL",
  },
  {
    text: "Music app learns that I like cello in the morning and queues pieces from the catalogue.",
    level: "MINIMAL",
  },
  {
    text: "Officers receive a weekly list of teenagers predicted to become burglars. The list is generated purely from character tests, parents' nationality and number of siblings; no act, evidence or suspicion is involved.",
    level: "PROHIBITED",
    of: "Art. 5(1)(d)",
  },
  {
    text: "On arrival at the emergency department each patient is sorted by the triage engine from vital signs and complaint, and the order of treatment follows the colour it gives.",
    level: "HIGH",
    of: "Annex III 5(d)",
  },
  {
    text: "Intelligent software for the energy sector, developed with partners from research, trained on ten years of measurements.",
    level: "UNDETERMINED",
  },
  {
    text: "Claims for disability allowance filed with the social insurance institution are pre-decided by a classifier: green ones are paid, red ones are turned down unless an officer objects.",
    level: "HIGH",
    of: "Annex III 5(a)",
  },
  {
    text: "FaceOcean grows by forty million portraits a week, vacuumed indiscriminately from social networks and street-camera streams, so that any stranger can be looked up by face.",
    level: "PROHIBITED",
    of: "Art. 5(1)(e)",
  },
  { text: "For insurers. Smarter, faster, fairer. Ask us for a demo!", level: "UNDETERMINED" },
  {
    text: "A perfume shop places a mirror with a camera by the shelf; from the shopper's expression it works out delight or disgust after each sniff and picks the next sample.",
    level: "HIGH",
    of: "Annex III 1(c)",
  },
  {
    text: "Sickness cover for the self-employed, priced person by person! Our actuarial net looks at your medical questionnaire and tells the underwriter how risky you are and what to charge.",
    level: "HIGH",
    of: "Annex III 5(c)",
  },
  {
    text: "District heating operator needs software that spots imminent pipe bursts in the 130-degree mains and vents the section by itself before anyone on the street above is scalded.",
    level: "HIGH",
    of: "Annex III 2 (heating)",
  },
  {
    text: "The product serves people teams across the employee life cycle. Powered by AI.",
    level: "UNDETERMINED",
  },
  {
    text: "A drive-in burger chain takes orders through a talking computer at the speaker post.",
    level: "LIMITED",
  },
  {
    text: "Pot plants in the hospital lobby have moisture probes, and a small decision tree reminds the gardener.",
    level: "MINIMAL",
  },
  {
    text: "We write newsletters for florists, or rather our text model does: it composes the whole mailing from a list of the week's flowers.",
    level: "LIMITED",
  },
  {
    text: "It is not a chatbot and it is not facial recognition, our contact said, but he would not say what it is.",
    level: "UNDETERMINED",
  },
  {
    text: "Meet Zuri! She answers questions on sneaker sizes in WhatsApp, day and night, and she is pure software.",
    level: "LIMITED",
  },
  {
    text: "Game studios license our voice engine, which speaks any line of dialogue in artificial voices for background characters.",
    level: "LIMITED",
  },
  {
    text: "Incoming supplier catalogues are tagged by product group, e.g. screws, paint or timber.",
    level: "MINIMAL",
  },
  {
    text: "Our university is working with a model that uses student data. The project group will report in due course.",
    level: "UNDETERMINED",
  },
  {
    text: "At the state vocational college for electricians, ceiling cameras detect hidden phones and slips passed between trainees while the written exam is under way.",
    level: "HIGH",
    of: "Annex III 3(d)",
  },
  {
    text: "Want to know if the customer on the line is about to explode? ToneMeter hears anger, relief or worry in the caller's voice and shows it to the agent as a coloured bar (the agent's own voice is not analysed).",
    level: "HIGH",
    of: "Annex III 1(c)",
  },
  {
    text: "Digital penfriend for pensioners: a warm conversational program that chats about football, gardening and the weather.",
    level: "LIMITED",
  },
  {
    text: "How many banknotes will the bank's machine in the high street run through before Friday? The regression tells the filling company; it knows withdrawals per day and nothing about customers.",
    level: "MINIMAL",
  },
  {
    text: "Fire brigade dispatch: distress calls are classified by the model as real, minor or critical, and engines are sent out in that order of precedence.",
    level: "HIGH",
    of: "Annex III 5(d)",
  },
  {
    text: "Chain of 140 supermarkets, private security only: lens above the sliding door recognises people on our own trespass list by their face while they walk by, and buzzes the guard's earpiece with who it is.",
    level: "HIGH",
    of: "Annex III 1(a)",
  },
  {
    text: "The theatre's ticket line is answered by a synthetic telephonist which discusses seats and dates with callers.",
    level: "LIMITED",
  },
  {
    text: "A truth-verification headset is to be worn by people seeking residence permits while the migration service questions them; brainwave patterns yield 'sincere' or 'insincere'.",
    level: "HIGH",
    of: "Annex III 7(a)",
  },
  {
    text: "Mortgage desk at Kustbank: the machine reads salary slips and spending of the couple, arrives at a solvency class, and the class decides whether and at what rate they get the house loan.",
    level: "HIGH",
    of: "Annex III 5(b)",
  },
  {
    text: "PhotoStitch lines up your mountain shots to a seamless panorama, no tripod needed.",
    level: "MINIMAL",
  },
  {
    text: "The game-based assessment measures applicants' risk appetite and memory, then predicts which of them will do well as traders; the lowest third are turned down without further review.",
    level: "HIGH",
    of: "Annex III 4(a)",
  },
  {
    text: "The supplier says it is \"not a social credit scheme\". Yet it adds up a person's volunteer work, shopping and neighbours' gossip over five years into one figure, and the city refuses business permits and sports-hall access to those with a low one.",
    level: "PROHIBITED",
    of: "Art. 5(1)(c)",
  },
  {
    text: "On the anniversary of the moon landing our channel airs a fabricated but true-looking speech of a dead president, produced with face replacement and voice cloning.",
    level: "LIMITED",
  },
  {
    text: "In the open-plan office, webcams measure the smile and frown of each employee through the day and management receives a per-person happiness chart to raise commitment.",
    level: "PROHIBITED",
    of: "Art. 5(1)(f)",
  },
  {
    text: "LLM-backed support widget, RAG over 1,100 help articles for our accounting program, end users talk to it in free text, hands over to a human after two failures.",
    level: "LIMITED",
  },
  {
    text: "Referendum toolkit: learns from browsing data which voters are wavering and shows each a tailored video meant to swing the ballot towards No.",
    level: "HIGH",
    of: "Annex III 8(b)",
  },
  {
    text: "Chess engine with a neural evaluation function, sold for club players who want to analyse openings.",
    level: "MINIMAL",
  },
  {
    text: "Speech-signal classifier for a telecoms hotline. From the sound of the voice alone it tags the subscriber as likely having a chronic lung disease, a neurological disorder or neither, for segment reporting.",
    level: "HIGH",
    of: "Annex III 1(b)",
  },
  {
    text: "Lab reports of second-year chemistry students go through AutoRubric; the points it gives make up 60 % of the module grade.",
    level: "HIGH",
    of: "Annex III 3(b)",
  },
  {
    text: "Embedding model plus nearest-neighbour index on Kubernetes; downstream consumers decide what a hit means.",
    level: "UNDETERMINED",
  },
  {
    text: "System deployed at border crossing points, three servers, redundant power, vendor support until 2029.",
    level: "UNDETERMINED",
  },
  {
    text: "Patrol aircraft of the migration authority carry a camera pod whose network finds people in dinghies and recognises individuals known from earlier crossings.",
    level: "HIGH",
    of: "Annex III 7(d)",
  },
  {
    text: "Rock-core photographs are classified into granite, gneiss or schist to spare the geologists the first pass.",
    level: "MINIMAL",
  },
  {
    text: "It builds a 360-degree picture of individuals from many sources, which customers then use as they see fit.",
    level: "UNDETERMINED",
  },
];
