/** Annex III, point 1: biometrics. What they serve to confirm of somebody who says who he is, is not among it. */
import { annex3, CAMERAS, words } from "./phrases.ts";

export const biometricConcepts = {
  face: words(`face, faces, facial, iris, irises, retina*, fingerprint*, gait, gaits, voiceprint*, voice print*, palm vein*, vein pattern*, ear shape*,
    heartbeat*, biometric*, walking style*, way .. walk*, body shape*, build and gait, features of everybody, everybody's features, people's features,
    mugshot*, faceprint*, way people walk, manner of walking, silhouette*, thermal signature*, body odour, cardiac signature, lip movement*, voice
    sample*, speaker recognition, speaker identification, who is speaking`),
  identify:
    words(`identif*, recogni*, match, matches, matched, matching, compare*, comparing, comparison*, re-identif*, reidentif*, walks in, spot*, find*,
    pick*, search*, look* up, put* a name, by name, tells who, who it is, who they are, who .. people .. are, who somebody is, known, follows,
    following, check .. against, database*, gallery, watchlist*, watch list*, blacklist*, name of, index of, establish* .. identity, identity of,
    identities of, names the, tell apart, tells apart, looked up, who everyone is, linked to .. name, link .. to .. name, trace, traces, tracing,
    register, exclusion register, archive*, who they see, personal data of, profile of, locate*, vector, vectors, template, templates, given person,
    given passenger, checked, checks, those of people, notices, notice, looked for, follow people, follow persons, follow individuals, follow a
    person, follow someone, follow each, follow every, follow him, follow her, follow them`),
  verify:
    words(`unlock*, log in, logs in, login, log on, sign in, sign on, authenticat*, is who, are who, own phone, own device, one to one, 1:1, same person as
    on, same person as in, holder of the, own badge, confirms .. identity, confirm .. identity`),
  seen: CAMERAS.concat(
    words(`ip camera*, camera feed*, feeds from, kiosk camera*, doorbell*, dashcam*, dash cam*, body cam*, livestream*, sensor gate*, turnstile*, security
    camera*, entrance, entrances, gates, drones, doors, door, till, phone at, point the phone, point your phone, recordings, passage, hall, corridor,
    queue, queues, crowd, crowds, spectators, everyone entering, everybody entering, each customer, every customer, every visitor, each visitor,
    passers-by, supermarket door*, shop door*`),
  ),
  /** Lists of persons that somebody who is seen may stand on. */
  gallery:
    words(`gallery, watchlist*, watch list*, blacklist*, black list*, list of wanted, list of banned, list of persons, list of people, hotlist*, mugshot*,
    banned, barred, unwanted guest*, shoplifter*, known thie*, known offender*, known trouble*, persons of interest, person of interest, people of
    interest, missing person*, missing child*, enrolled, register of persons, same individual, same person, same people, returning visitor*, returning
    vip*, returning guest*, returning customer*, vips, vip guest*, regular customer*, repeat visitor*, individuals across, person across, people
    across, who the people, who has come, who enters, who comes in, who came in, who is passing, who passes, who was there, names of everyone, names
    of people, stranger*, re-identif*, reidentif*, loyalty members, members were present, self-excluded, exclusion register, exclusion list, ban list,
    stop list, no-fly list, do-not-admit, hooligan*, troublemaker*, regulars, who was present, who is present, who attended, which people, which
    persons, which individuals, which visitors, which customers came, individual visitors, identity of everyone, identity of each, identities of,
    recurring visitor*, recurring customer*, fugitive*, suspects, wanted, thrown out before, people who have been, persons who have been, given
    passenger, given person, particular person, specific person, certain person, shared list, list of, against a list, against the list, thieves,
    thief, given portrait, given face, resembles, looks like, pickpocket*, known pickpockets, roster of, list of known, known criminals, known
    hooligans, known suspects, known trespassers, trespasser*, vandals, repeat offenders, persons under, house ban*, ban from the premises, barring
    order*, exclusion order*, court-ordered ban, lifetime ban, known faces, faces on file, people on file, persons on file, photo register*, photo
    database*, driving licence photo*, passport photo database*, id photo database*, national id database*, police photo*, most wanted, warrants,
    arrest warrants, missing people, vip list*, guest list by face, member database*, club members by, known cheaters, card counters, advantage
    players, repeat guests, frequent guest*, loyal customer*, recognised customers, same shopper*, same visitor*, same man, same woman, identities of
    visitors, the same face, faces already, vip customer*, vip client*`),
  /** Uses by their names, which need no deed. */
  biometric_use:
    words(`facial recognition, face recognition, face identification, remote biometric identification, biometric identification, biometric surveillance,
    biometric tracking, gait recognition, gait identification, iris recognition, speaker identification, person re-identification, people tracking,
    face search, face matching, ear-shape recognition`),
  /** Uses by their names, which need no deed. */
  categorisation_use:
    words(`biometric categorisation, biometric categorization, gender recognition, gender classification, gender detection, gender estimation, age
    estimation, ethnicity recognition, ethnicity detection, ethnicity classification, race detection, demographic analysis of faces, facial analysis
    of age`),
  /** Uses by their names, which need no deed. */
  state_of_mind:
    words(`emotional state*, emotional response*, emotional reaction*, emotional arousal, emotional tone, state of mind, mental state*, how they feel, how he
    feels, how she feels, how people feel, how somebody feels, how customers feel, whether she likes, whether he likes, whether they like, likes or dislikes`),
  passing:
    words(`passenger*, passers-by, passersby, pedestrian*, visitor*, shopper*, spectator*, viewer*, audience*, crowd, crowds, people, persons, customers,
    travellers, guests, buses, station, shop, mall, participants, face, faces`),
  /** Lists of faces, whatever they are compared with. */
  faces_known:
    words(`gallery of persons, gallery of people, gallery of faces, gallery of banned, gallery of wanted, gallery of known, gallery of mugshots, stadium
    ban*, banned from the stadium, list of wanted people, list of wanted persons, list of banned people, enrolled faces, known faces, wanted faces,
    wanted face`),
  /** Somebody is seen, and who it is or where else is told. */
  who: words(`who is standing, who stands, who it is, who they are, who he is, who she is, where else, was seen, been seen, find the person, find a person, find
    him, find her, names of, name of, name them, still of the person, photo of the person, photo of a person, picture of a person, picture of the
    person, photographed once, the same man, the same woman, whose face, whose voice, who is in, who was in, who entered, who attended, trace ..
    person, follows .. person, tracks .. person, tracks people, follow people, individuals through, people through, looks through .. recordings,
    locate a, locate .. passenger, locate .. person, locates .. person, locates people, thrown out before, people who have been thrown, those of
    people, persons thrown out, who have been thrown, people who were, known visitors, name and profession, put names, puts names, puts a name, names
    to the faces, resembles, a given portrait, everybody who, everyone who, anyone who, a stranger, strangers, who they see, passer-by's name,
    recognises visitors, recognizes visitors, recognises people, recognizes people, recognises persons, recognises customers, recognises guests,
    recognises passengers, recognises individuals, recognize people, recognise visitors, logs their names, record their names, it is you, that it is
    you, is you again, who you are, who this is, who that is, who comes in, who came, who walked, who walks, who sat, who drove, the driver's
    identity, identity of a person, identity of the person, identities of people, name of whoever, whoever it sees, recognises you, recognises them,
    recognizes you, greets you by name, greets them by name, by their gait, by their walk, by their face, by their voice, by his voice, by her voice,
    from their voice, by voice alone, names a speaker, we name them, who is talking, who is singing, same speaker, where somebody went, where someone
    went, path of each person, path of each visitor, path of each customer, paths of individual, route of each visitor, across cameras, from camera to
    camera, camera network, to name the man, to name the woman, to name the person, to name them, name the man, name the woman, name the person, name
    the people, names the person, names the people, naming people, put a name`),
  watched:
    words(`glasses, camera*, cctv, recordings, footage, video*, still, stills, drone*, snapshots, image*, photo*, picture*, microphone*, sensor*,
    surveillance, takes a picture, vector, vectors, lens, portrait*, phone, smartphone*, faces, face, from a distance, at a distance, vision`),
  alert:
    words(`compare*, comparing, recogni*, match*, identif*, re-identif*, reidentif*, spot*, find*, search*, look* up, looks for, alert*, tell, tells, notif*,
    warn*, follow*, track, tracks, tracking, greet*, pick*, check*, scan*, list of, produces a list, logs, log which, records which, looked up, knows,
    sees, shows, report*, establish*, comparison, converts, locate*`),
  body: words(`camera*, face, faces, facial, portrait*, photo*, image*, picture*, voice*, biometric*, cctv, video*, footage, webcam*, selfie*, gait,
    fingerprint*, signage, digital sign*, billboard*, stands before, walks past, passer*, pedestrians, shop window*, kiosk*, mirror*, iris,
    appearance, look at people, visitors' looks, scan*, survey participants, body scan*, thermal image*`),
  group:
    words(`age, ages, gender*, sex, sexes, hair colo*, eye colo*, disab*, tattoo*, ethnic*, race, races, racial, skin colo*, skin tone*, religio*,
      male, female, males, females, men and women, men or women, adult*, senior*, nationality, origin, headscar*, minority, minorities, over 18,
      under 18, underage, approximate age, how old, years old, demographic*, demography, ancestry, complexion, beard, hijab*, turban*, body type,
      weight class, obese, pregnant, old and young, young or old, protected attribute*, protected characteristic*, sensitive attribute*, sensitive
      characteristic*, how many women, how many men, women over, men over, women under, men under, light skin, dark skin, pale skin, boys or girls,
      boys and girls, migrant background, migration background, foreign-looking, belongs to, wheelchair users, with children or, wealthy or poor,
      social class, body height, corpulen*, bald, glasses or, make-up, veil*, believers, mosque-goer*, churchgoer*, chronic .. disease*, lung
      disease*, heart disease*, neurological disorder*, neurological disease*, having a chronic, health condition*, state of health, ill or healthy,
      sick or healthy`),
  sort: words(`sort*, categor*, classif*, infer*, estimat*, detect*, determin*, group*, guess*, predict*, tell, tells, tag, tags, tagged, tagging, deduc*,
    label*, deriv*, assign*, count*, work* out, read*, establish*, judg*, recogni*, segment*, find* out, presum*, attribut*, reveal*, say, says,
    extract*, split*, bin, bins, analys*, analyz*, measur*, targets, adapts`),
  emotion:
    words(`emotion*, affective, mood, moods, feeling, feelings, feel, feels, how .. feel, angry, anger, afraid, fear, fearful, scared, sad, sadness, happy,
    happiness, unhappy, cheerful, bored, boredom, annoy*, delight*, irritat*, frustrat*, stress, stressed, stressful, anxi*, nervous*, joy, joyful,
    disgust*, contempt, enthusias*, excite*, upset, calm, tense, tension, attentive*, engagement level*, fatigue, furious, sullen, amuse*, arous*,
    sentiment in, state of mind, mental state*, demotivat*, satisfaction, valence, euphori*, agitat*, irritab*, despair*, depress*, lonely,
    loneliness, grief, grieving, embarrass*, shame, surprise, surprised, curious, confused, confusion, impatien*, content or, discontent*, discomfort,
    at ease, worried, worry, panic*, pleased, displeased, morale, motivated, motivation, unmotivated, sulky, grumpy, elated, in love, attraction,
    hostil*, aggressi*, empath*, laughter, laughing, crying, mental strain, inner state*, affect of, affect recognition, psychological state*, how
    somebody is doing, disappointment, disappointed, remorse, sympathy, compassion, jealous*, envy, pride, proud, relaxed, moody, temper, tempers,
    distress, distressed, well-being of, wellbeing of, psychological well-being`),
  emotion_system:
    words(`emotion recognition, emotion detection, emotion analysis, emotion ai, emotion tracking, emotion sensing, emotion classification, mood detection,
    mood recognition, mood tracking, affective computing, affect recognition, recognition of emotions, detection of emotions, stress detection,
    recognises emotions, recognizes emotions, infers emotions, infer emotions, inferring .. emotions, reads emotions, detects emotions, smile meter*,
    smile detector*, mood meter*, mood map*, mood barometer by camera, happiness meter*, happiness index from faces, stress meter*, anger detector*,
    frustration detector*, emotion meter*, emotion tracker*, emotion camera*, emotional analytics, facial coding, mood camera*`),
  modality:
    words(`face, faces, facial, voice*, vocal, camera*, heart rate, heartbeat*, gaze, eye movement*, eye tracking, expression*, micro-expression*,
    microexpression*, video*, webcam*, pulse, gesture*, posture, body language, spoken, sound, sounds, sounding, intonation, pitch, microphone*,
    headset*, biometric*, watch*, eeg, brainwave*, brain wave*, headband*, skin conductance, skin response*, skin temperature, wearable*, wristband*,
    bracelet*, breathing, blink*, smile*, smiling, keystroke*, typing rhythm, film, films, filmed, footage, cctv, physiolog*, perspiration, sweat*,
    ecg, emg, galvanic, eyes, eyebrow*, brow, pupils dilate, pupil size, mouth corners, tone, loudness, speaking rate, listens, listening, hear,
    hears, phone call*, call recording*, recorded calls, calls, prosody, silence*, how .. speak, how .. talk, way .. speak, way .. talk, smartwatch*,
    ring sensor, brain signal*, thermal image*, body movement*, movements, mimic, grimac*, sensor*, biosignal*, body signal*, selfie*, photo*,
    portrait*, acoustic*, audio, caller*, speaker*, speech*, utteranc*, talk, talking, conversation*, call routing, recorded speech, cabin, monitor,
    sensing, in-car, vehicle interior`),
  sense:
    words(`infer*, detect*, recogni*, estimat*, analys*, analyz*, read, reads, reading, measur*, watch*, see, sees, tell*, judg*, sens*, track*,
    monitor*, spot*, pick* up, work* out, find* out, notic*, deduc*, predict*, gaug*, index, report*, show, shows, interpret*, classif*, determin*,
    flag*, look, looks, guess*, register*, identif*, assess*, alert*, warn*, categor*, label*, extract*, rates, rating, rate, map, maps, know,
    knows, establish*, learn*, catches, react*, adapt*, respond*, evaluat*, scor*, quantif*, plot*, chart*, dashboard*, derive*, reveal*, betray*,
    give away, gives away, assign*, attribut*, probab*, contain*, output*, emits, inform*, hears, hear`),
  /** Feelings that are told from somebody, whatever by. */
  feeling:
    words(`emotion*, mood, moods, frustration, anger, boredom, happiness, sadness, joy, stress level*, irritation, excitement, fear of the speaker, feelings
    of`),
  tell_feeling: words(
    `infer*, detect*, recogni*, estimat*, measur*, gaug*, deduc*, read off, reads the mood, reads their mood, tells the mood, classif*, senses`,
  ),
  felt_by:
    words(`passenger*, driver, drivers, viewer*, listener*, shopper*, customer*, visitor*, guests, caller*, speaker*, player*, audience*, people, person,
    persons, user, users, patients, participants, residents, fans, spectators, children, family`),
  /** What is felt in writing is no biometric matter. */
  texts_only: words(
    `in reviews, of reviews, from reviews, in tweets, of tweets, in e-mails, written feedback, text messages, customer reviews, in comments`,
  ),
  /** A mood that somebody asks for, and nobody has. */
  mood_for_music: words(
    `type a mood, type in a mood, name a mood, choose a mood, pick a mood, enter a mood, give it a mood, get a song, describe .. mood, a scene and a mood,
    mood board*`,
  ),
  medical: words(
    `medical, patient*, therap*, clinic*, safety reason*, drowsi*, falls asleep, microsleep*, road safety, safety only, safety alone, only for safety,
    solely for safety, only for the safety, solely for the safety, for .. safety only, purely for safety, aviation safety, flight safety, rail safety,
    safety purpose*, safety ground*, grounds of safety, reasons of safety, pain, prescription*, prescribed, before an accident, prescribed by, medical reason*, epilep*, seizure*`,
  ),
};

const rule = annex3<keyof typeof biometricConcepts>;

export const biometricRules = [
  rule("1(a)", "remote biometric identification", ["face", "identify"], ["verify"]),
  rule("1(a)", "people are found on lists by cameras", ["seen", "gallery", "alert"], ["verify"]),
  rule("1(a)", "people are compared with lists", ["faces_known", "alert"], ["verify"]),
  rule("1(a)", "somebody who is seen is named", ["who", "watched"], ["verify"]),
  rule("1(b)", "biometric categorisation", ["group", "sort", "body"]),
  rule("1(c)", "emotion recognition", ["emotion", "sense", "modality"], ["mood_for_music"]),
  rule("1(c)", "emotion recognition", ["feeling", "tell_feeling", "felt_by"], ["texts_only", "medical"]),
  rule("1(c)", "emotion recognition", ["emotion_system"], ["texts_only"]),
  rule("1(a)", "remote biometric identification", ["biometric_use"], ["verify"]),
  rule("1(b)", "biometric categorisation", ["categorisation_use"], ["verify"]),
  rule("1(c)", "emotion recognition", ["state_of_mind", "sense"], ["texts_only", "medical"]),
  rule("1(b)", "biometric categorisation", ["sort", "passing"], [], "group"),
];
