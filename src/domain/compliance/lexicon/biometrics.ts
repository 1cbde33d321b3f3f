/** Annex III, point 1: biometrics. What they serve to confirm of somebody who says who he is, is not among it. */
import { annex3, CAMERAS, words } from "./phrases.ts";

export const biometricConcepts = {
  face: words(
    `face, faces, facial, iris, irises, retina*, fingerprint*, gait, gaits, voiceprint*, voice print*, palm vein*, vein pattern*, ear shape*, heartbeat*, biometric*, walking style*, way .. walk*, body shape*, build and gait, features of everybody,
    everybody's features, people's features, mugshot*, faceprint*, face print*`,
  ),
  identify: words(
    `identif*, recogni*, match, matches, matched, matching, compare*, comparing, comparison*, re-identif*, reidentif*, walks in, spot*, find*, pick*, search*, look* up, put* a name, by name, tells who, who it is, who they are, who .. people .. are, who somebody is, known,
    follow, follows, following, checks .. against, checked against, check .. against, database*, gallery, watchlist*, watch list*, blacklist*, name of, index of`,
  ),
  verify: words(
    `unlock*, log in, logs in, login, log on, sign in, sign on, authenticat*, is who, are who, own phone, own device, one to one, 1:1, same person as on, same person as in, holder of the, own badge, confirms .. identity, confirm .. identity`,
  ),
  seen: CAMERAS,
  /** Lists of persons that somebody who is seen may stand on. */
  gallery: words(
    `gallery, watchlist*, watch list*, blacklist*, black list*, list of wanted, list of banned, list of persons, list of people, hotlist*, mugshot*, banned, barred, unwanted guest*, shoplifter*, known thie*, known offender*, known trouble*, wanted person*, wanted people, persons of interest, person of interest,
    people of interest, missing person*, missing child*, enrolled, register of persons, same individual, same person, same people, returning visitor*, returning vip*, returning guest*, returning customer*, vips, vip guest*, regular customer*, repeat visitor*, individuals across, person across, people across,
    who the people, who has come, who enters, who comes in, who came in, who is passing, who passes, who was there, names of everyone, names of people, stranger*, re-identif*, reidentif*`,
  ),
  alert: words(
    `compare*, comparing, recogni*, match*, identif*, re-identif*, reidentif*, spot*, find*, search*, look* up, looks for, alert*, tell, tells, notif*, warn*, follow*, track, tracks, tracking, greet*, pick*, check*, scan*`,
  ),
  body: words(
    `camera*, face, faces, facial, portrait*, photo*, image*, picture*, voice*, biometric*, cctv, video*, footage, webcam*, selfie*, gait, fingerprint*, signage, digital sign*, billboard*, stands before, walks past, passer*`,
  ),
  group: words(
    `age, ages, age group*, age bracket*, gender*, sex, sexes, hair colo*, eye colo*, disab*, tattoo*, ethnic*, race, races, racial, skin colo*, skin tone*, religio*, male, female, males, females, men and women, men or women, adult*, senior*, nationality, origin, headscar*, minority, minorities, over 18, under 18, underage`,
  ),
  sort: words(
    `sort*, categor*, classif*, infer*, estimat*, detect*, determin*, group*, guess*, predict*, tell, tells, tag, tags, tagged, tagging, deduc*, label*, deriv*, assign*, count*, work* out, read*, establish*, judg*, recogni*, segment*, find* out, presum*, attribut*, reveal*, say, says`,
  ),
  emotion: words(
    `emotion*, affective, mood, moods, feeling, feelings, feel, feels, how .. feel, angry, anger, afraid, fear, fearful, scared, sad, sadness, happy, happiness, unhappy, cheerful, bored, boredom, annoy*, delight*, irritat*, frustrat*, stress, stressed, stressful, anxi*, nervous*, joy, joyful, disgust*, contempt,
    enthusias*, excite*, upset, calm, tense, tension, attentive*, attention, engagement level*, fatigue, furious, sullen, amuse*, arous*, sentiment in, state of mind, mental state*, demotivat*, satisfaction`,
  ),
  modality: words(
    `face, faces, facial, voice*, vocal, camera*, heart rate, heartbeat*, gaze, eye movement*, eye tracking, expression*, micro-expression*, microexpression*, video*, webcam*, pulse, gesture*, posture, body language, tone of, speech, spoken, sound, sounds, sounding, intonation, pitch, microphone*, headset*, biometric*, watch*, eeg, brainwave*, brain wave*, headband*, skin conductance,
    skin response*, skin temperature, wearable*, wristband*, bracelet*, breathing, blink*, smile*, smiling, keystroke*, typing rhythm, film, films, filmed, footage, cctv, physiolog*, perspiration`,
  ),
  sense: words(
    `infer*, detect*, recogni*, estimat*, analys*, analyz*, read, reads, reading, measur*, watch*, see, sees, tell*, judg*, sens*, track*, monitor*, spot*, pick* up, work* out, find* out, notic*, deduc*, predict*, gaug*, index, score*, report*, show, shows, interpret*, classif*, determin*, flag*, look, looks, guess*, register*, identif*, assess*, alert*, warn*, categor*, label*`,
  ),
  medical: words(`medical, patient*, therap*, clinic*, safety reason*, drowsi*, falls asleep, microsleep*`),
};

const rule = annex3<keyof typeof biometricConcepts>;

export const biometricRules = [
  rule("1(a)", "remote biometric identification", ["face", "identify"], ["verify"]),
  rule("1(a)", "people are found on lists by cameras", ["seen", "gallery", "alert"], ["verify"]),
  rule("1(b)", "biometric categorisation", ["group", "sort", "body"]),
  rule("1(c)", "emotion recognition", ["emotion", "sense", "modality"]),
];
