/**
 * The words by which a description is classified: concepts, and rules over them. In a word `*` stands for any letters, `..` between words
 * for up to four others. All concepts of a rule have to stand in one or two neighbouring sentences.
 */
export const LEXICON = "lexicon/2";

/** Several are separated by commas or ends of lines. */
const words = (text: string): string[] =>
  text
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter(Boolean);

export const concepts = {
  face: words(`face, faces, facial, iris, retina*, fingerprint*, gait, voiceprint*, palm vein*, biometric*`),
  identify: words(
    `identif*, recogni*, match*, compare*, comparing, re-identif*, walks in, spot*, find*, pick*, search*, put* a name, tells who`,
  ),
  verify: words(`unlock*, log in, login, sign in, authenticat*, is who, are who, own phone, own device`),
  body: words(
    `camera*, face, faces, facial, portrait*, photo*, image*, picture*, voice*, biometric*, cctv, video*, footage`,
  ),
  group: words(
    `age, ages, gender, sex, hair colo*, eye colo*, disab*, tattoo*, ethnic*, race, races, racial, skin colo*, religio*, male, female, adult*, senior*`,
  ),
  sort: words(
    `sort*, categor*, classif*, infer*, estimat*, detect*, determin*, group*, guess*, predict*, tell*, tag*, deduc*, label*, deriv*`,
  ),
  emotion: words(
    `emotion*, mood, moods, angry, anger, afraid, fear, sad, sadness, happy, happiness, bored, boredom, frustrat*, stress*, joy, attentive*, fatigue`,
  ),
  modality: words(
    `face, faces, facial, voice*, camera*, heart rate, gaze, expression*, video*, webcam*, pulse, gesture*, posture, tone of, biometric*, watch*`,
  ),
  sense: words(
    `infer*, detect*, recogni*, estimat*, analys*, analyz*, read*, measur*, watch*, see, sees, tell*, judg*, sens*, track*, monitor*, spot*`,
  ),
  medical: words(`medical, patient*, therap*, clinic*, safety reason*, drowsi*`),
  infrastructure:
    words(`drinking water, water network*, water suppl*, water treatment, water distribution, sewage, gas network*, gas pipeline*, pipeline*,
    gas suppl*, heating plant*, district heating, heat suppl*, power grid*, electricity grid*, the grid, electricity network*, electricity suppl*, power plant*, power suppl*, substation*,
    traffic light*, road traffic, traffic signal*, traffic management, critical .. infrastructure, internet exchange, nuclear, reservoir*, dam`),
  steer: words(
    `control*, shut*, isolat*, disconnect*, balanc*, regulat*, operat*, trigger*, manag*, open*, steer*, safety, protect*, failover, switch*, stop*, react*, dispatch*, adjust*, runs, run, dosing, guard*`,
  ),
  learner: words(
    `pupil*, student*, learner*, applicant*, child, children, famil*, candidate*, apprentice*, trainee*`,
  ),
  education: words(
    `school*, universit*, college*, course*, exam*, essay*, educat*, nurser*, kindergarten*, vocational, degree*, certificate*, tutor*, class, classroom*, academic, test, tests, homework, learning outcome*, curricul*, study, studies, lesson*, phd, lecture*, diploma*`,
  ),
  at_school: words(`school*, classroom*, pupil*, student*, lesson*, universit*, lecture*`),
  grade: words(
    `grade, grades, grading, mark, marks, marking, admit*, admission*, decid*, select*, score*, scoring, rank*, assign*, evaluat*, assess*, steer*, determin*, flag*, detect*, proctor*, cheat*, monitor*, allocat*, track, tracks, place, places, placement, sift*, drops, reports suspicious`,
  ),
  schoolwork: words(
    `homework, exam, exams, essay*, school register, school report*, grammar school, secondary school place*, test takers`,
  ),
  proctoring: words(`proctor*, cheating by students, prohibited behaviour .. tests`),
  applicant: words(
    `job applicant*, applicants for .. job, job candidate*, candidate*, cv, cvs, curriculum vitae, résumé*, resume, resumes, job seeker*, jobseeker*, recruit*, hiring, hire, hires, job advert*, job ad, job ads, vacanc*, job interview*, video interview*, job application*, applied for .. job, talent acquisition, open position*, looking for work, want to work here, wants to work here, who applied`,
  ),
  choose: words(
    `score*, scoring, rank*, sort*, filter*, shortlist*, screen*, select*, evaluat*, assess*, analy*, target*, match*, reject*, recommend*, prefer*, choos*, rate, rates, rating, grade*, order*, prioriti*, suggest*, pick*, predict*, decid*, sift*, on top, proposed, drops, puts`,
  ),
  worker: words(
    `employee*, worker*, staff, courier*, driver*, freelancer*, contractor*, personnel, workforce, gig work*, shift, shifts, colleague*, workplace, call centre*, call center*, warehouse*, crew`,
  ),
  workplace: words(
    `employee*, worker*, staff, workplace, at work, boss, the office, call centre*, call center*, colleague*, subordinate*`,
  ),
  manage: words(
    `allocat*, assign*, promot*, dismiss*, terminat*, fire, fires, fired, firing, laid off, lay off, layoff*, let go, warning*, productivity, performance, perform*, behaviour, behavior, personal traits, rank*, accounts closed, account closed, disciplin*, bonus*, rating*, score*, resign, obedien*, diligen*, gets which`,
  ),
  benefit: words(
    `benefit*, welfare, social security, unemployment, social assistance, social aid, disability allowance*, allowance*, public assistance, state pension*, child support, healthcare service*, housing support, public service*, food stamp*`,
  ),
  grant: words(
    `decid*, qualif*, eligib*, grant*, reduc*, revok*, withdraw*, reclaim*, refus*, review*, flag*, assess*, recommend*, entitle*, fraud, den*, approv*, reject*`,
  ),
  credit: words(
    `credit scor*, creditworth*, credit limit*, credit risk*, credit, repay*, loan*, mortgage*, lend*, borrow*, buy-now-pay-later, overdraft*, limit of the card`,
  ),
  lend: words(
    `scor*, likel*, assess*, evaluat*, decid*, approv*, predict*, set, sets, rate, rates, work out, works out, calculat*, default*, reject*, grant*`,
  ),
  natural: words(
    `person*, individual*, consumer*, customer*, household*, applicant*, private, people, borrower*, famil*, client*, someone, somebody, tenant*, citizen*`,
  ),
  creditworthy: words(`creditworth*, credit score*, credit scoring, default on`),
  business: words(
    `corporate, companies' loan*, business loan*, loans to companies, loans to firms, counterpart*`,
  ),
  insurance: words(
    `life insurance, health insurance, life cover, health cover, health insurer*, life insurer*, life polic*, health polic*, private health`,
  ),
  price: words(`pric*, premium*, risk*, calculat*, assess*, underwrit*, quote*, tariff*, decid*, set, sets`),
  emergency: words(
    `112, 911, 999, emergency call*, emergency service*, emergency dispatch*, emergency patient*, emergency room*, emergency department*, ambulance*, first responder*, first aid, fire brigade*, paramedic*`,
  ),
  triage: words(
    `triag*, dispatch*, prioriti*, rank*, decid*, evaluat*, classif*, send, sends, goes first, order*, sort*, which`,
  ),
  police: words(
    `police*, law enforcement, detective*, prosecut*, criminal investigat*, criminal*, crime*, offence*, offense*, offender*, interrogat*, suspect, suspects, smuggl*, gang, gangs, policing, patrol officer*, parole`,
  ),
  suspect: words(
    `risk*, likel*, predict*, profil*, reliab*, polygraph*, lie detect*, credib*, victim*, estimat*, re-offend*, reoffend*, recidiv*, evaluat*, assess*, rank*, dangerous*, lies, expect*`,
  ),
  crime: words(`crime*, criminal*, offence*, offense*, offend*, re-offend*, reoffend*, felon*`),
  foresee: words(`predict*, foresee*, forecast*, likel*, risk*, who will, going to`),
  trait: words(
    `personality, profiling alone, solely .. profil*, personal traits, character traits, physical appearance, only .. profil*, nationality, place of birth, number of children, type of car`,
  ),
  objective: words(`case file*, objective*, verifiable fact*, evidence, criminal activity, facts linked`),
  migration: words(
    `migra*, asylum, visa*, border*, residence permit*, refugee*, frontier*, immigra*, overstay*`,
  ),
  examine: words(
    `assess*, examin*, detect*, lie, lies, risk*, scor*, predict*, verif*, identif*, credib*, decid*, decision*, analys*, analyz*, check*, match*, evaluat*, polygraph*, grant*, refus*`,
  ),
  court: words(
    `judge's, a judge, the judge, judges, court*, judicial*, judiciary, arbitrat*, tribunal*, sentencing, judgment*, judgement*, mediat*, statutes, adjudicat*, alternative dispute, magistrate*, verdict*`,
  ),
  rule: words(
    `suggest*, propos*, decid*, draft*, research*, interpret*, apply*, applies, recommend*, weigh*, outcome*, award*, settle*, find the law`,
  ),
  vote: words(
    `voter*, vote, votes, voting, election*, referendum*, political campaign*, political content, electorate`,
  ),
  sway: words(
    `influenc*, target*, micro-target*, persuad*, sway*, change, changes, shows, nudg*, convinc*, mobilis*, mobiliz*`,
  ),
  hidden: words(
    `subliminal*, inaudible, below .. threshold, imperceptib*, manipulat*, deceptive*, dark pattern*, hidden message*, hidden cue*, too fast to notice, without .. noticing, unconscious*`,
  ),
  harm: words(
    `buy*, harm*, behavio*, decision*, purchas*, act against, choos*, spend*, sign*, addict*, gambl*, hurt*`,
  ),
  vulnerable: words(
    `child, children, minors, kids, toddler*, elderly, pensioner*, dementia, disab*, addict*, homeless*, in debt, indebted, poverty, vulnerab*, learning difficult*`,
  ),
  exploit: words(
    `exploit*, persuad*, trick*, dare, dares, dangerous, pressur*, lure*, manipulat*, sell* .. expensive, sign up, gambl*, get them to, talk* them into, prey*, take* advantage`,
  ),
  social_score: words(
    `social scor*, social credit scor*, citizen score*, points for .. behavio*, scores citizens, rates citizens, trustworth* .. social, trustworth* .. online, trustworth* .. lifestyle, trustworth* .. neighbour*`,
  ),
  detriment: words(
    `refus*, den*, punish*, depriv*, exclu*, lose*, detriment*, block*, restrict*, disadvantage*, worse, banned`,
  ),
  scrape: words(`scrap*, crawl*, harvest*, collect*, download*, gather*`),
  open_web: words(`social network*, social media, internet, web, cctv, online, public profile*`),
  face_base: words(
    `face recognition, facial recognition, face database*, faces database*, face pictures, face images, facial images, facial database*, as many face*, database of faces`,
  ),
  intimate_trait: words(
    `gay, lesbian, homosexual*, sexual orientation, sex life, political opinion*, political view*, party .. support*, which party, politically, religio*, race, racial, trade union*, union member*, philosophical, belief*`,
  ),
  biometric_input: words(
    `face, faces, facial, portrait*, photo*, biometric*, fingerprint*, voice*, gait, camera image*`,
  ),
  live: words(`live, real-time, real time, all cameras, as they walk*, while they walk*, instantly`),
  public_space: words(
    `public, publicly, street*, city, square*, station*, crowd*, stadium*, demonstration*, shopping centre*, shopping mall*`,
  ),
  force: words(`police*, law enforcement, officers`),
  intimate: words(
    `naked, nude*, undress*, nudif*, her clothes, his clothes, their clothes, intimate, sexually explicit, porn*`,
  ),
  real_person: words(
    `photo of, photos of, picture of, pictures of, images of, woman, women, girl*, someone, somebody, real person*, real people, ex-*, classmate*, celebrit*, person`,
  ),
  child: words(`child, children, minor, minors, underage, csam`),
  abuse: words(`sexual*, abuse, porn*, csam, naked, nude*`),
  make: words(
    `generat*, creat*, produc*, make, makes, making, show, shows, remov*, turn*, depict*, manipulat*, render*, synthesi*, fake, fakes`,
  ),
  converse: words(
    `chatbot*, chat bot*, voice assistant*, voice bot*, virtual agent*, virtual assistant*, digital assistant*, conversational*, talks to, talks with, talk to it, chats with, avatar which talks, avatar that talks, digital human*, phone bot*, answers .. customers, answers callers, answers questions, replies to customers, replies to visitors, in natural language, customer service bot*, companion`,
  ),
  compose: words(
    `generat*, compos*, writes, writing, write, clone, clones, cloning, synthesi*, paints, draws, renders, illustrat*, makes .. video*, makes .. picture*, makes .. song*, produces .. article*, produces .. video*, produces .. image*, creates .. video*, creates .. image*, creates .. picture*, creates .. text*, creates .. music, deepfake*, deep fake*, swap* .. face`,
  ),
  media: words(
    `text, texts, picture*, image*, photo*, video*, audio*, voice, voices, music, song*, speech, speeches, article*, blog*, post, posts, story, stories, poem*, presenter*, illustration*, portrait*, poster*, deepfake*, deep fake*, face, podcast*, report, reports, summar*, newsletter*, jingle*, voice-over*`,
  ),
  deep_fake: words(
    `deepfake*, deep fake*, swap* the face, face swap*, looks real, realistic speech*, realistic video*, realistic voice*`,
  ),
  public_matter: words(
    `news article*, news about, articles about .. politics, public interest, newspaper*, published without`,
  ),
  narrow: words(
    `narrow procedural, only converts, merely converts, only formats, merely formats, preparatory, turns unstructured .. structured, detects duplicate*, improves the wording, improves the language, already completed, decided already, has already decided`,
  ),
  profiling: words(`profil*, scor*, rank*, predict*, personality, behavio*`),
  /** What nobody is judged by: matters whose systems have no duties of their own. */
  plain:
    words(`spam, sales forecast*, demand forecast*, forecasts demand, species, tractors, will be sold, sold next, inventor*, stock level*, shortest route, route*, computer game*, video game*, enemies in, chess, spelling, grammar of, grammar and, and grammar, checks grammar, grammar check*, grammar in,
    photos by, cn code*, hs code*, tariff code*, temperature*, greenhouse*, scratch*, defect*, deduplicat*, duplicate record*, trade statistic*, statistics, compress*, code completion*, source code, yield*, satellite*, maintenance,
    vibration*, transcri*, parcels in, packing, exchange rate*, convert* .. currenc*, noise, breed*, searches the documents, full-text search, search engine*, irrigat*, soil, price of copper, price of oil, commodity price*, weather, wind speed,
    translat*, ocr, logistics, recommends songs, recommends films, recommends books, recommends music, playlists, recipe*, crop*, livestock, solar panel*, backup*, log files, network latency, unit test*, bug*, accounting entries, bookkeeping, invoices, customs tariff*, freight, container*, machine tool*, printing press*, calendar`),
  someone: words(
    `people, person, persons, individual*, somebody, someone, folks, citizen*, customer*, user*, employee*, worker*, applicant*, student*, pupil*, patient*, tenant*, resident*, human*, everyone, everybody, they, those who, men, women`,
  ),
  judge: words(
    `score, scores, scoring, rank*, rates, rating, evaluat*, assess*, judges, decides about, decides on, decides who, decides whether, select*, profil*, classif* .. people, monitor*, identif*, recogni*, sorts people, sorts folks, sorts .. who`,
  ),
} satisfies Record<string, string[]>;

export type Concept = keyof typeof concepts;

/** What a rule says of a description in which all of `needs` stand, and nothing of `unless`. */
export type LexiconRule = {
  id: string;
  level: "PROHIBITED" | "HIGH" | "LIMITED" | "MINIMAL";
  provision: string;
  /** The date of the edition from which it applies; undefined: no date, for it asks nothing. */
  date?: string;
  needs: readonly Concept[];
  unless?: readonly Concept[];
  about: string;
};

const article5 = (point: string, about: string, needs: Concept[], unless: Concept[] = []): LexiconRule => ({
  ...{ id: `art-5-${point}`, level: "PROHIBITED", provision: `Article 5(1)(${point})`, about, needs, unless },
  date: point === "ba" || point === "bb" ? "intimate-images" : "prohibitions",
});
const annex3 = (point: string, about: string, needs: Concept[], unless: Concept[] = []): LexiconRule => ({
  ...{
    id: `annex-iii-${point}`,
    level: "HIGH",
    provision: `Annex III, point ${point}`,
    date: "annex-iii",
    about,
    needs,
    unless,
  },
});
const article50 = (paragraph: string, about: string, needs: Concept[]): LexiconRule => ({
  ...{
    id: `art-50-${paragraph}`,
    level: "LIMITED",
    provision: `Article 50(${paragraph})`,
    date: "general",
    about,
    needs,
  },
});

export const lexiconRules: readonly LexiconRule[] = [
  article5("a", "techniques that people do not notice, and harm", ["hidden", "harm"]),
  article5("b", "exploits the vulnerable", ["vulnerable", "exploit"]),
  article5("c", "social scoring", ["social_score"]),
  article5("c", "behaviour in daily life scored, with a disadvantage elsewhere", [
    "judge",
    "detriment",
    "benefit",
    "someone",
  ]),
  article5("d", "crimes foreseen from traits alone", ["crime", "foresee", "trait"], ["objective"]),
  article5("e", "face images gathered from everywhere", ["scrape", "open_web", "face_base"]),
  article5("f", "emotions at work", ["emotion", "sense", "workplace", "modality"], ["medical"]),
  article5("f", "emotions in education", ["emotion", "sense", "at_school", "modality"], ["medical"]),
  article5("g", "sensitive traits from biometric data", ["intimate_trait", "sort", "biometric_input"]),
  article5("h", "live identification in public for law enforcement", ["live", "face", "identify", "force"]),
  article5("ba", "intimate images of real persons", ["intimate", "make", "real_person"]),
  article5("bb", "material of child sexual abuse", ["child", "abuse", "make"]),
  annex3("1(a)", "remote biometric identification", ["face", "identify"], ["verify"]),
  annex3("1(b)", "biometric categorisation", ["group", "sort", "body"]),
  annex3("1(c)", "emotion recognition", ["emotion", "sense", "modality"]),
  annex3("2", "safety of critical infrastructure", ["infrastructure", "steer"]),
  annex3("3", "education", ["learner", "education", "grade"]),
  annex3("3", "education", ["schoolwork", "grade"]),
  annex3("3(d)", "proctoring", ["proctoring"]),
  annex3("4(a)", "recruitment", ["applicant", "choose"]),
  annex3("4(b)", "management of workers", ["worker", "manage"]),
  annex3("5(a)", "public benefits and services", ["benefit", "grant"]),
  annex3("5(b)", "creditworthiness", ["credit", "lend", "natural"], ["business"]),
  annex3("5(b)", "creditworthiness", ["creditworthy", "natural"], ["business"]),
  annex3("5(c)", "life and health insurance", ["insurance", "price"]),
  annex3("5(d)", "emergency calls and triage", ["emergency", "triage"]),
  annex3("6", "law enforcement", ["police", "suspect"]),
  annex3("7", "migration, asylum and borders", ["migration", "examine"]),
  annex3("8(a)", "administration of justice", ["court", "rule"]),
  annex3("8(b)", "elections", ["vote", "sway"]),
  article50("1", "interacts with people", ["converse"]),
  article50("2", "generates content", ["compose", "media"]),
  article50("4", "deep fakes", ["deep_fake"]),
  article50("4", "texts on matters of public interest", ["compose", "public_matter"]),
  {
    ...{ id: "plain", level: "MINIMAL", provision: "no provision of its own", needs: ["plain"] },
    about: "a matter in which nobody is judged",
  },
];
