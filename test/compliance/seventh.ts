/**
 * A seventh set, written blind: whoever wrote it had seen neither the lexicon, nor another set, nor an answer of the classifier. It was measured once; the lexicon has not learnt from it: its figures are what a stranger's text may expect.
 */
import type { Described } from "./described.ts";

export const seventh: readonly Described[] = [
  {
    text: "SpinGlow is the engagement layer for online casinos. It inserts brand images and 'bet again' cues lasting a few milliseconds, too short for players to notice, and learns for each player which cues make them raise their stakes. In our pilots players who had meant to stop went on and lost on average four months' income.",
    level: "PROHIBITED",
    of: "Art. 5(1)(a)",
  },
  {
    text: "Engineer's note: the agent invents urgent messages that look as if they come from the customer's own relatives and from a financial regulator, tests which lie works best on each customer, and keeps sending them until the customer has moved his life savings into our token. The token has no resale value; customers lose everything they pay in.",
    level: "PROHIBITED",
    of: "Art. 5(1)(a)",
  },
  {
    text: "The system is to play inaudible speech signals underneath the music of the fitness app, so that subscribers buy and take the operator's unapproved appetite suppressant without being aware of having been influenced. The signals are adapted to each listener by a learning model. Liver damage among long-term buyers has been recorded and is accepted as a business risk.",
    level: "PROHIBITED",
    of: "Art. 5(1)(a)",
  },
  {
    text: "Our sales assistant listens to phone calls, recognises from hesitations and repeated questions that an elderly person is becoming forgetful, and then switches to a script that presses exactly these people to sign away their house for a fraction of its worth. Conversion among over-eighties with signs of dementia is six times higher than in the general population.",
    level: "PROHIBITED",
    of: "Art. 5(1)(b)",
  },
  {
    text: "Talking doll for children from four to eight. The built-in AI uses the child's trust in the doll to draw him or her into ever riskier dares, such as climbing on window sills or holding the breath until dizzy, because dares keep children playing longer and sell the add-on packs. Several children have been seriously injured.",
    level: "PROHIBITED",
    of: "Art. 5(1)(b)",
  },
  {
    text: "LoanReach finds households that face eviction or have just lost their job and, at the hour when their despair is greatest, pushes them individually worded offers for instant credit at 900 percent a year. The model is trained to pick the people whose poverty leaves them unable to refuse; most of them end up insolvent within a year.",
    level: "PROHIBITED",
    of: "Art. 5(1)(b)",
  },
  {
    text: "The municipality keeps a running conduct score on every resident, computed over several years from social media posts, neighbours' complaints, choice of friends and shopping habits. Residents whose score falls below 400 are moved to the end of the waiting list for public housing and lose their place in the childcare scheme.",
    level: "PROHIBITED",
    of: "Art. 5(1)(c)",
  },
  {
    text: "CivicTrust gives each consumer a lifetime trustworthiness grade from dating-app behaviour, party photographs, returned parcels and the company they keep. Our clients, among them landlords, electricity suppliers and private schools, turn away people with a grade of D or lower.",
    level: "PROHIBITED",
    of: "Art. 5(1)(c)",
  },
  {
    text: "The authority will procure a learning system which records minor everyday behaviour of citizens year after year, such as crossing on red, late library books and loud music, and derives from it a social rating. Whoever falls into the lowest class shall be barred from public transport for twelve months and have the family allowance stopped.",
    level: "PROHIBITED",
    of: "Art. 5(1)(c)",
  },
  {
    text: "We give police forces a list of the people in their district most likely to commit a burglary next year. The prediction for each person comes entirely from a profile made of age, nationality, address, number of children and type of car; it uses no facts about anything the person has done.",
    level: "PROHIBITED",
    of: "Art. 5(1)(d)",
  },
  {
    text: "Every adult in the district fills in a personality questionnaire, and the model turns the answers into a probability that this person will commit a violent crime. Nothing but the personality traits goes into it. Officers visit the hundred highest-ranked people at home.",
    level: "PROHIBITED",
    of: "Art. 5(1)(d)",
  },
  {
    text: "Specification: from the writing style in a person's public posts the software shall estimate character traits such as impulsiveness and lack of empathy, and from these traits alone the risk that the person will commit fraud in future. The risk value is delivered to the financial crime unit, which opens surveillance on persons above the threshold, with no suspicion against them needed.",
    level: "PROHIBITED",
    of: "Art. 5(1)(d)",
  },
  {
    text: "FaceHarvest crawls social networks day and night, downloads every portrait it can reach regardless of who is shown, and adds the face vectors to our recognition database. Subscribers upload a snapshot and get the name.",
    level: "PROHIBITED",
    of: "Art. 5(1)(e)",
  },
  {
    text: "Ops note on the pipeline: 11,000 open CCTV streams are tapped, every face in view is cut out automatically and written to the face recognition index, now 90 million people. There is no target list, we take everyone who walks past.",
    level: "PROHIBITED",
    of: "Art. 5(1)(e)",
  },
  {
    text: "By means of an AI crawler, facial images are collected in bulk and indiscriminately from video platforms, club websites and school yearbooks on the internet. They serve to enlarge the facial recognition database which is licensed to private detectives.",
    level: "PROHIBITED",
    of: "Art. 5(1)(e)",
  },
  {
    text: "We call it a 'wellbeing dashboard', but what it does is read from the webcams whether each call-centre agent is angry, bored or cheerful, minute by minute. Team leaders use the mood figures when they set the monthly bonus.",
    level: "PROHIBITED",
    of: "Art. 5(1)(f)",
  },
  {
    text: "MoodClass watches the faces of pupils during lessons and shows the teacher who is bored, anxious or happy. Schools use it to find out which pupils lack enthusiasm and to mention this in the term report.",
    level: "PROHIBITED",
    of: "Art. 5(1)(f)",
  },
  {
    text: "The software analyses the voices of our warehouse workers over their headsets and infers whether they are frustrated or content. The purpose is to let management know which workers have a bad attitude towards the company.",
    level: "PROHIBITED",
    of: "Art. 5(1)(f)",
  },
  {
    text: "The camera software at our club doors works out from each guest's face which race the person belongs to and shows the doorman the result for that guest. It is used to keep the mix of guests as the owner likes it.",
    level: "PROHIBITED",
    of: "Art. 5(1)(g)",
  },
  {
    text: "Upload a photo of anyone and our neural network tells you from the facial features whether that person is gay, lesbian, bisexual or straight. Popular with employers and curious parents alike.",
    level: "PROHIBITED",
    of: "Art. 5(1)(g)",
  },
  {
    text: "From recordings of voice and gait at the factory gate the system deduces for every single worker whether he or she is likely to be a trade union member and which political party he or she supports. The result is stored in a file under the worker's name for the owner's information.",
    level: "PROHIBITED",
    of: "Art. 5(1)(g)",
  },
  {
    text: "The city police connect 600 street cameras to live facial recognition and compare everyone who walks through the centre with a list of known shoplifters and pickpockets. Patrols are sent at once to whoever is matched.",
    level: "PROHIBITED",
    of: "Art. 5(1)(h)",
  },
  {
    text: "During demonstrations the police system identifies by face, live and at a distance, all persons taking part in the square, so that the force knows who attended. It is run at every rally, without a court order and without any particular suspect being sought.",
    level: "PROHIBITED",
    of: "Art. 5(1)(h)",
  },
  {
    text: "Procurement item 4: real-time remote face recognition in railway stations for the police, scanning all passengers as they pass, in order to find people with unpaid traffic fines. The system shall run permanently; no authorisation by a judge is foreseen.",
    level: "PROHIBITED",
    of: "Art. 5(1)(h)",
  },
  {
    text: "StadiumGuard recognises, from cameras above the entrances, the faces of visitors in the crowd and identifies those whom the football club itself has banned. The club's own stewards then refuse them entry; the police do not take part.",
    level: "HIGH",
    of: "Annex III 1(a)",
  },
  {
    text: "Our product is a stand-alone camera analyser for shopping streets. From the faces of passers-by it infers each person's sex and age group and sells these categories to advertisers as a data stream.",
    level: "HIGH",
    of: "Annex III 1(b)",
  },
  {
    text: "The system reads from customers' facial expressions in the shop whether they are delighted, indifferent or annoyed when they look at a shelf. Only customers are filmed, and brands receive the emotion curves.",
    level: "HIGH",
    of: "Annex III 1(c)",
  },
  {
    text: "Control software for a regional drinking-water network: a learned model detects dangerous pressure surges and closes valves by itself to protect the supply. It is installed as the safety component of the plant's control system.",
    level: "HIGH",
    of: "Annex III 2",
  },
  {
    text: "The AI module monitors the transmission grid and, when it foresees an overload, disconnects lines in order to prevent a blackout. The grid operator relies on it as a protective function.",
    level: "HIGH",
    of: "Annex III 2",
  },
  {
    text: "A neural controller sets the traffic lights and lane signals in the motorway tunnel and stops traffic when it detects a danger of collision. It acts as a safety component of road traffic management.",
    level: "HIGH",
    of: "Annex III 2",
  },
  {
    text: "AdmitWise scores the applications for our university's degree programmes and proposes who is to be offered a place. The admissions office follows the ranking in nearly all cases.",
    level: "HIGH",
    of: "Annex III 3(a)",
  },
  {
    text: "The software marks pupils' final essays and assigns the grade that goes on the certificate. It also uses the results to steer what each pupil learns next.",
    level: "HIGH",
    of: "Annex III 3(b)",
  },
  {
    text: "In our vocational college an AI tutor evaluates the exercises of each trainee and decides from the learning outcomes whether the module counts as passed.",
    level: "HIGH",
    of: "Annex III 3(b)",
  },
  {
    text: "Based on test results and school history, the model assesses which level of schooling, vocational track or grammar school, is suitable for each ten-year-old, and the education authority lets the child attend only that level.",
    level: "HIGH",
    of: "Annex III 3(c)",
  },
  {
    text: "ProctorLens watches candidates through the webcam during online university examinations and reports behaviour that suggests cheating, such as a second person in the room or looking at notes. Reported candidates are heard by the examination board.",
    level: "HIGH",
    of: "Annex III 3(d)",
  },
  {
    text: "Tired of reading CVs? HireFlow ranks all applicants for your vacancy from one to a hundred and invites the top ten to an interview.",
    level: "HIGH",
    of: "Annex III 4(a)",
  },
  {
    text: "The vendor's brochure says it is 'just a filing tool', yet in our company it gives each incoming job application a suitability grade and moves those graded C to the rejection folder.",
    level: "HIGH",
    of: "Annex III 4(a)",
  },
  {
    text: "Engineer's note: candidates answer five questions in writing, the model scores the content of the answers for competence, and HR gets a shortlist. No facial or vocal analysis and no emotions, only the text of the answers.",
    level: "HIGH",
    of: "Annex III 4(a)",
  },
  {
    text: "The system evaluates our sales employees every quarter from their figures and recommends who should be promoted and whose contract should be ended.",
    level: "HIGH",
    of: "Annex III 4(b)",
  },
  {
    text: "Deliveries are allotted to couriers by an algorithm which has learned from each courier's past behaviour, such as speed, refusals and cancellations. Couriers with unfavourable behaviour receive fewer and worse-paid orders.",
    level: "HIGH",
    of: "Annex III 4(b)",
  },
  {
    text: "The productivity monitor counts keystrokes, breaks and finished tickets of every office worker and computes an individual performance grade, which enters into the annual appraisal.",
    level: "HIGH",
    of: "Annex III 4(b)",
  },
  {
    text: "The social security office uses the model to assess whether applicants are entitled to housing benefit and in which amount. The clerk confirms the proposal or asks for further documents.",
    level: "HIGH",
    of: "Annex III 5(a)",
  },
  {
    text: "ScoreBright calculates for each private loan applicant the probability of repayment. Banks use the score to accept or refuse consumer credit.",
    level: "HIGH",
    of: "Annex III 5(b)",
  },
  {
    text: "Our machine-learning scorecard evaluates the creditworthiness of natural persons from account movements, and the instalment limit for a mobile phone purchase is fixed accordingly.",
    level: "HIGH",
    of: "Annex III 5(b)",
  },
  {
    text: "The insurer's underwriting model estimates the individual health risk of people who apply for life insurance and sets their premium.",
    level: "HIGH",
    of: "Annex III 5(c)",
  },
  {
    text: "Health insurance quotes in seconds: our AI reads the applicant's medical questionnaire, rates the risk of that person and names the price of the policy.",
    level: "HIGH",
    of: "Annex III 5(c)",
  },
  {
    text: "In the emergency control centre incoming 112 calls are evaluated by a speech model which classifies their urgency and decides in which order ambulances are dispatched.",
    level: "HIGH",
    of: "Annex III 5(d)",
  },
  {
    text: "The police use the system to assess how likely it is that a person who has reported domestic violence will become a victim again. Protection measures are planned by the result.",
    level: "HIGH",
    of: "Annex III 6(a)",
  },
  {
    text: "A tool for police interviews that judges from speech and pulse, in the manner of a polygraph, whether the person questioned is telling the truth. Investigators are the only customers.",
    level: "HIGH",
    of: "Annex III 6(b)",
  },
  {
    text: "For the public prosecutor's office: software that rates how reliable pieces of evidence are, for example whether a witness statement is consistent and whether a submitted recording has been tampered with, in ongoing criminal investigations.",
    level: "HIGH",
    of: "Annex III 6(c)",
  },
  {
    text: "The probation department of the prison service, as law enforcement authority, uses a model which estimates the risk of reoffending of convicted persons from their documented offences, sentences and conduct in custody. The officer weighs the figure together with the case file.",
    level: "HIGH",
    of: "Annex III 6(d)",
  },
  {
    text: "In investigations into organised fraud the detectives load telephone, travel and account data of suspects into the system, which builds a profile of each suspect and points out who probably plays which part in the group.",
    level: "HIGH",
    of: "Annex III 6(e)",
  },
  {
    text: "At the border crossing the authority uses an AI lie detector: travellers from third countries answer questions from an avatar, and their voice and eye movements are analysed for deception.",
    level: "HIGH",
    of: "Annex III 7(a)",
  },
  {
    text: "The border agency has the model assess for each incoming traveller whether he or she poses a security risk or a risk of irregular migration. Those with a high value are questioned in a separate room.",
    level: "HIGH",
    of: "Annex III 7(b)",
  },
  {
    text: "Asylum case officers are assisted by a system that examines the applications, checks how credible the stated origin is and proposes to grant or refuse protection.",
    level: "HIGH",
    of: "Annex III 7(c)",
  },
  {
    text: "The consulate's software evaluates visa applications on the basis of the documents submitted and recommends approval or refusal to the official in charge.",
    level: "HIGH",
    of: "Annex III 7(c)",
  },
  {
    text: "Drones of the border guard carry a recognition model that detects people crossing the green border at night, and identifies from images persons already registered in the migration file. The checking of passports is not part of the task.",
    level: "HIGH",
    of: "Annex III 7(d)",
  },
  {
    text: "JudgeAid researches facts and law for the court, applies the law to the facts of the pending case and drafts the reasoning for the judge who has to decide.",
    level: "HIGH",
    of: "Annex III 8(a)",
  },
  {
    text: "Our campaign engine determines for every voter which message will move him or her to vote for the party in the coming parliamentary election, and delivers it to the voter's phone. Its declared aim is to influence how people vote.",
    level: "HIGH",
    of: "Annex III 8(b)",
  },
  {
    text: "The police may switch on live facial recognition at named stations for a few hours solely to search for one particular abducted child. Each use has been authorised beforehand by a judge under the national law made for this purpose, the fundamental rights impact assessment is complete, and the system is registered.",
    level: "HIGH",
    of: "Annex III 1(a), close to Art. 5(1)(h), exception for abducted persons",
  },
  {
    text: "The analyser categorises passers-by in the station hall from their gait and body images, inferring for each whether he or she has a walking disability. The railway company, for which this is the product's only purpose, uses the categories to plan lifts; race, religion, political views and the like are not inferred.",
    level: "HIGH",
    of: "Annex III 1(b), close to Art. 5(1)(g), disability not on its list",
  },
  {
    text: "In the control room of the chemical plant the system recognises from an operator's voice whether he or she is in panic or acute fear, solely in order to call a second operator before an accident happens. It serves safety only; nothing is stored and superiors receive no report on anybody's mood.",
    level: "HIGH",
    of: "Annex III 1(c), close to Art. 5(1)(f), safety exception",
  },
  {
    text: "The benefits authority uses a model that compares the income and rent declared by recipients of housing benefit with the tax register and shows cases where the benefit should be reduced or reclaimed. Only data relevant to this benefit are used, only this benefit is affected, and a caseworker decides.",
    level: "HIGH",
    of: "Annex III 5(a), close to Art. 5(1)(c)",
  },
  {
    text: "The police assess with the system the risk that a person already under investigation for several assaults will offend again. The estimate does not rest solely on a profile: it builds on verified facts from the case files, such as previous attacks and threats, and an officer reviews each result.",
    level: "HIGH",
    of: "Annex III 6(d), close to Art. 5(1)(d)",
  },
  {
    text: "Meet Lina, the friendly chatbot on our garden centre's website! She talks with visitors about plants, opening times and delivery.",
    level: "LIMITED",
  },
  {
    text: "A voice bot takes telephone table reservations for our restaurant and speaks with callers in natural language.",
    level: "LIMITED",
  },
  {
    text: "The insurance company's web chat is run by a language model that tells customers where to find forms and when the office is open. It does not decide or assess anything about claims, contracts or persons.",
    level: "LIMITED",
  },
  {
    text: "The tourist office requires a conversational assistant which answers visitors' questions on sights, bus routes and events in five languages.",
    level: "LIMITED",
  },
  {
    text: "Our museum app lets guests chat with an AI guide about the paintings in front of them.",
    level: "LIMITED",
  },
  {
    text: "Dev note: support bot on top of an LLM, chats with customers who have trouble setting up their router, links the right manual page and hands over to a person if stuck.",
    level: "LIMITED",
  },
  {
    text: "Employees can ask a chatbot on the intranet how to book a meeting room or where the printer paper is kept.",
    level: "LIMITED",
  },
  {
    text: "Within the library portal a dialogue system is provided with which readers converse in order to learn about lending rules and opening hours.",
    level: "LIMITED",
  },
  {
    text: "PixelDream turns a short description into a photorealistic picture within seconds. Designers use it for posters and book covers.",
    level: "LIMITED",
  },
  {
    text: "The service generates spoken audiobooks from text in synthetic voices that sound like human narrators.",
    level: "LIMITED",
  },
  {
    text: "TuneMint composes complete songs with artificial singing for your podcast or advertisement.",
    level: "LIMITED",
  },
  {
    text: "A text generator for web shops that writes product descriptions for shoes and bags from a table of properties.",
    level: "LIMITED",
  },
  {
    text: "The software produces video clips of landscapes and cities from a written prompt, for use in advertising films.",
    level: "LIMITED",
  },
  {
    text: "With the agreement of the actress, our studio makes deepfake videos in which she appears to speak in eleven languages for the holiday company's commercials.",
    level: "LIMITED",
  },
  {
    text: "The agency produces with AI a film clip in which a well-known, deceased singer appears to give a concert today; it looks genuine and is shown on television as advertising for a record box, with the consent of the heirs.",
    level: "LIMITED",
  },
  {
    text: "We use a face-swapping tool to place our consenting managing director in a realistic moon-landing video for the company's public channel.",
    level: "LIMITED",
  },
  {
    text: "Our portal publishes news on local politics that a language model writes from council minutes. The articles go online automatically; no editor reads them beforehand.",
    level: "LIMITED",
  },
  {
    text: "Reports on storms, road closures and public health in the region are generated by AI and published without human review, and nobody holds editorial responsibility for them.",
    level: "LIMITED",
  },
  {
    text: "Engineer's note on newsbot: pulls agency data on economic policy every hour, the model writes a piece to inform the public, publishing is automatic, no newsroom in the loop.",
    level: "LIMITED",
  },
  {
    text: "The online paper 'Edited by humans', in spite of its name, has no editors: all articles on current affairs are written by a generative model and go straight to the readers.",
    level: "LIMITED",
  },
  {
    text: "The model predicts how many lunches the school canteen will sell tomorrow, so that less food is thrown away.",
    level: "MINIMAL",
  },
  {
    text: "The hospital laundry uses it to forecast how many sheets and towels are needed next week.",
    level: "MINIMAL",
  },
  {
    text: "Our bank has a model that estimates how many banknotes each cash machine will need over the weekend.",
    level: "MINIMAL",
  },
  {
    text: "For the police motor pool: forecasts from mileage when the tyres of the patrol cars will be worn and orders replacements.",
    level: "MINIMAL",
  },
  {
    text: "The coffee machine in the staff kitchen learns at what hours demand is highest and orders beans in time.",
    level: "MINIMAL",
  },
  {
    text: "At the courthouse a learned model estimates how much toner the printers will use and places the order with the stationer.",
    level: "MINIMAL",
  },
  {
    text: "A university observatory uses the classifier to sort its photographs of galaxies by shape.",
    level: "MINIMAL",
  },
  {
    text: "The software helps the groundsmen of the prison farm to recognise mildew on tomato leaves from photographs of the plants.",
    level: "MINIMAL",
  },
  {
    text: "Behind the employment agency's building a sensor model counts free parking spaces from floor contacts and switches the sign to 'full'.",
    level: "MINIMAL",
  },
  {
    text: "The insurance company's archive uses it to detect in scanned pages whether a sheet lies upside down and turns it.",
    level: "MINIMAL",
  },
  {
    text: "For the kindergarten's website a tool sorts the photographs of the garden by season, by the colour of the leaves.",
    level: "MINIMAL",
  },
  {
    text: "An infrared beam at the swimming pool entrance counts how many people are inside, and a model forecasts the next hour's total. It does not film, recognise or identify anyone.",
    level: "MINIMAL",
  },
  {
    text: "The program tags scientific articles in our journal archive with keywords such as 'emotion recognition', 'social scoring' or 'credit scoring', according to the subject of the article. It carries out none of these itself.",
    level: "MINIMAL",
  },
  {
    text: "InboxClear filters advertising spam out of e-mail so that you only see what matters.",
    level: "MINIMAL",
  },
  { text: "Our chess engine plays at eight strengths and learns from its own games.", level: "MINIMAL" },
  {
    text: "The app proposes recipes for whatever is left in the refrigerator, chosen from a fixed cookbook.",
    level: "MINIMAL",
  },
  {
    text: "A music player that orders the owner's own record collection by tempo and suggests the next track.",
    level: "MINIMAL",
  },
  {
    text: "The system forecasts ice-cream sales from weather data and tells the shop how many tubs to order.",
    level: "MINIMAL",
  },
  {
    text: "The camera on the sorting belt recognises overripe apples and blows them off the belt with air.",
    level: "MINIMAL",
  },
  {
    text: "Engineer's note: small CNN, spots scratches on ceramic tiles after the kiln, reject goes to the bin. No people in the picture.",
    level: "MINIMAL",
  },
  {
    text: "Identify birds by their song! Hold up your phone on a walk and learn which species is singing.",
    level: "MINIMAL",
  },
  {
    text: "The tender concerns a model that proposes how boxes of different sizes are best stacked on a pallet, so that less space in the lorry stays empty.",
    level: "MINIMAL",
  },
  {
    text: "In our racing video game the opponents' cars are steered by a learned model which adapts to the track.",
    level: "MINIMAL",
  },
  {
    text: "The vineyard uses a model that estimates from soil moisture when the rows should be watered.",
    level: "MINIMAL",
  },
  {
    text: "A tool that recognises duplicate holiday photos of the same landscape on the computer and offers to delete the blurred one.",
    level: "MINIMAL",
  },
  {
    text: "The software compresses satellite images of oceans with a learned codec so that they take up less storage.",
    level: "MINIMAL",
  },
  {
    text: "Stamps photographed by a collector are assigned by country and year of issue and looked up in the catalogue.",
    level: "MINIMAL",
  },
  {
    text: "From vibration data of the packaging machine it is predicted when the conveyor bearing should be greased.",
    level: "MINIMAL",
  },
  {
    text: "The model sorts bug reports in our open-source project by the program module they concern.",
    level: "MINIMAL",
  },
  {
    text: "The bakery's oven logs are analysed by a learning program which suggests baking times for a more even crust.",
    level: "MINIMAL",
  },
  {
    text: "Our tool forecasts the demand for screws and nails in DIY shops by season, and purchasing orders accordingly.",
    level: "MINIMAL",
  },
  {
    text: "The robot lawnmower's software learns the shape of the garden in order to mow it in fewer turns.",
    level: "MINIMAL",
  },
  {
    text: "Our platform uses state-of-the-art AI to unlock the full value of your data.",
    level: "UNDETERMINED",
  },
  { text: "The system takes camera images and outputs a score between 0 and 1.", level: "UNDETERMINED" },
  {
    text: "An AI solution for the public sector that makes processes faster and fairer.",
    level: "UNDETERMINED",
  },
  {
    text: "The model classifies persons into groups A, B and C. The groups are used further downstream.",
    level: "UNDETERMINED",
  },
  { text: "Next-generation people analytics. Ask us for a demonstration!", level: "UNDETERMINED" },
  {
    text: "Software shall be supplied which supports the department by means of machine learning. Details are to be settled after award of the contract.",
    level: "UNDETERMINED",
  },
  {
    text: "Engineer's note: gradient boosting on 214 features, AUC 0.87, retrained weekly, served over REST.",
    level: "UNDETERMINED",
  },
  {
    text: "We use it to flag conspicuous cases so that someone can take a closer look.",
    level: "UNDETERMINED",
  },
  {
    text: "FaceKit is our module for working with faces. It can be integrated in any application.",
    level: "UNDETERMINED",
  },
  {
    text: "An intelligent agent is employed in customer matters and improves the result considerably.",
    level: "UNDETERMINED",
  },
  { text: "The authority makes use of an algorithm in order to set priorities.", level: "UNDETERMINED" },
  { text: "It analyses voices. The results are passed on to the client.", level: "UNDETERMINED" },
  { text: "Our AI helps schools to get the best out of every day.", level: "UNDETERMINED" },
  {
    text: "The risk engine computes a risk for every record in the table and returns the top hundred.",
    level: "UNDETERMINED",
  },
  {
    text: "The tool is described by the supplier as 'not high-risk'. No further information on its function has been given to us.",
    level: "UNDETERMINED",
  },
  { text: "A recommendation engine for banks that proposes the next best step.", level: "UNDETERMINED" },
];
