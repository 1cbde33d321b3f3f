/** Annex III, point 3: access to education, learning outcomes, the level of education, and behaviour in tests. */
import { ADVISE, annex3, CHOOSE, DECIDE, FORESEE, IN_PLAIN_WORDS, JUDGING, RATE, words } from "./phrases.ts";

export const educationConcepts = {
  learner:
    words(`pupil*, student*, learner*, schoolchild*, school child*, school leaver*, schoolboy*, schoolgirl*, undergraduate*, freshm*, graduates,
    postgraduate*, doctoral candidate*, apprentice*, trainee*, examinee*, test taker*, test-taker*, exam candidate*, mba applicant*, university
    applicant*, applicants .. universit*, applicants .. degree, applicants .. college, applicants .. school, year old, class member*, children ..
    school, school .. children, child .. school, first-years, first years, second-years, school class, youngsters at school, kids at school, study
    applicant*, study beginner*, exchange student*, adult learner*, course participant*, participants of .. course, training participant*, medical
    student*, law student*, phd student*, doctoral student*, sixth-former*, sixth formers, seminar participant*, attendees of .. course,
    tenth-grader*, grader, graders, class of, child's grades, school career*, cadet*, probationer*, educatee*, scholar, schoolmates, exam taker*, exam
    takers, candidate speaks, language candidate*, entrant*, university hopefuls, alumni, enrollee*, enrolled at, matriculat*`),
  judge_learner: [
    ...words(`cheat*, plagiar*, proctor*, invigilat*, dishonest*, misconduct, drop* out, dropout*, drop-out*, fail, fails, failing, pass or fail, pass mark,
    progress*, mastery, struggl*, fall* behind, at risk, level*, how well, how much .. learn*, what .. learn* next, what .. taught next, next module,
    next exercise, adapt*, tailor*, place, places, placed, placement*, track, tracks, tracked, stream, streams, streamed, streaming, set for,
    scholarship*, offers, waiting list, wait list*, attention, behaviour, behavior, expel*, ready for, readiness, monitor*, flag*, detect*, predict*,
    estimat*, identif*, suspicious, special needs, sit the, sit .. exam*, watch*, warn*, alert*, counsel* out, make it to, not make it, kept back,
    repeat the year, repeat a year, move to, move up, moves up, promoted to the next, proceed*, passed, which school, which secondary, which class,
    which group, which course, what they learn, suspicion, talent*, gifted*, motivation of, competenc*, proficien*, skill level*, ability group*,
    abilities, dyslex*, intelligence, learning path*, learning pace, learning progress, learning gaps, knowledge gaps, weakness*, achiev*, attainment,
    credits, expuls*, truan*, absentee*, attendance, disciplin*, feedback on, certifies, certified, reached level`),
    ...DECIDE,
    ...CHOOSE,
    ...RATE,
    ...FORESEE,
  ],
  /** What only somebody has who learns or wants to. */
  schoolwork:
    words(`homework, exam, exams, examination, examinations, essay, essays, scanned script*, answer sheet*, answer script*, coursework, term paper*,
    thesis, theses, dissertation*, school register, school report*, transcript of records, transcripts and, grade point, final grade*, final mark*,
    grammar school*, secondary school place*, school place*, university place*, university entrance, college admission*, university admission*,
    school admission*, admission to, motivation letter*, degree programme*, degree program*, university programme*, study programme*, medical
    degree, matura, baccalaureate, abitur, a level*, gcse*, school-leaving, journeyman*, learning outcome*, learning level*, level of education,
    level of language, language level*, placement test*, entrance test*, entrance exam*, aptitude for stud*, vocational track*, academic track*,
    tracks of, scholarship*, kindergarten place*, nursery place*, nursery places, day care place*, multiple choice, quiz scores, assignments, viva,
    oral exam*, certification exam*, driving theory test*, online test*, standardised test*, standardized test*, fourth class, sixth form, class
    test*, maths test*, open-ended answer*, lab report*, student work, children's work, certificate of, diploma*, short-answer question*, short
    answer*, free-text answer*, open question*, term papers, written test*, written exam*, final test*, midterm*, mid-term*, vocabulary test*,
    language exam*, language test*, language certificate*, speaking test*, oral test*, oral assessment*, oral language exam*, aptitude exam*, bar
    exam*, state exam*, board exam*, licensing exam*, certification test*, remote assessment*, online assessment*, online exam*, home exam*, test
    result*, test score*, test paper*, school grade*, report card*, seminar paper*, bachelor's, master's, bachelor thesis, master thesis, doctoral
    thesis, phd application*, phd place*, study place*, studentship*, numerus clausus, waiting semester*, cefr level, toefl, ielts, sat score*, gre
    score*, entrance requirement*, recommended school, secondary school type, school type*, school choice, school assignment*, school allocation*,
    school enrol*, school entry, admitted, boarding school*, prep school*, elite school*, gifted programme*, gifted program*, special school*,
    remedial class*, programming assignment*, coding assignment*, portfolio* .. art school, learning goal*, learning objective*, learning success,
    apprenticeship*, training place*, traineeship*, trainee position*, course credit*, academic integrity, academic misconduct, academic
    performance, academic record*, study success, study progress, study adviser*, study advisor*, student record*, learning analytics, year eight,
    general branch, technical branch, school branch, admissions, violin candidate*, conservatoire*, begin school, ready for school, mature enough,
    school readiness, dual training, chamber exam*, pupils' certificate*, school certificate*, pay attention, paid attention, want to study here,
    who want to study, wants to study, wish to study, study here, model answer*, honesty of, distance exam*, remote finals, room scan, noise alarm,
    kindergarten drawings, speech sample .. child, school maturity, school start, school beginners, trainee pilots, repeat a unit, repeat units,
    unit test of trainees, academic career, choice of school, choice of studies, course placement*, class placement*, class assignment*, class
    level*, streaming of pupils, setting of pupils, ability setting, eleven-plus, transfer to grammar, school transfer*, transfer exam*, entrance
    score*, honours degree, honours classification, degree classification, grade prediction*, predicted grades, teacher assessed grades, moderation
    of grades, standardisation of grades, peer grading, rubric*, oral defence, orals, lab reports, internship report*, portfolio assessment, skills
    test*, skill assessment, competence assessment, competency assessment, knowledge assessment, knowledge test*, e-assessment, e-exam*, eexam*,
    digital exam*, computer-based test*, computer based test*, admission essay*, personal statements, letters of recommendation, recommendation
    letters, interview for university, university interview*, selection day, auditions for, learning module*, course module*, which modules, which
    module, next module, modules he, modules she, modules they`),
  judge_work: [
    ...IN_PLAIN_WORDS,
    ...words(`cheat*, plagiar*, written by somebody else, written by someone else, ghostwrit*, written by a machine, ai-written, machine-written, proctor*,
    invigilat*, dishonest*, misconduct, drop* out, dropout*, pass or fail, fail, fails, correct, corrects, correcting, feedback, place, places, enter,
    enters, steer*, monitor*, flag*, detect*, predict*, estimat*, suspicious, offers, given out, watch*, reports, suspicion, committee, receives a
    level, receives a cefr, counts for, goes straight into, met the, meet the, can proceed, allowed to, recommends which, which child, checks, given
    to, decided, allocated, points, number between, not opened, a number, provisional mark, recommendation*, will finish, who will finish, finish,
    guards, repeat, says when, final unless, guard, alarm, judged, honest*, grade is, scored against, splits, placed into`),
    ...DECIDE,
    ...CHOOSE,
    ...RATE,
    ...ADVISE,
  ],
  proctoring:
    words(`proctor*, invigilat*, lockdown browser*, locks the browser, cheating by students, cheating in, suspected cheating, cheat detection, prohibited
    behaviour .. test*, prohibited behavior .. test*, eyes wander, looks away .. screen, look away .. screen, looks away from, sit the paper, sits the
    paper, glances, sit the test at home, sit the exam at home, remote testing, annulment of the attempt, annulment of the test, testing session*,
    test session*, test attempt*, exam attempt*, unattended exam*, exam software, secure exam*, exam integrity, test integrity, honour code`),
  /** Places of learning: much is done there that concerns nobody's way through them. */
  institution:
    words(`school, schools, universit*, college*, facult*, academ*, vocational, nursery, nurseries, kindergarten*, business school*, bootcamp*, mooc*,
    e-learning, language course*, training centre*, training center*, medical school*, law school*, classroom*, course, courses, curricul*, doctoral,
    phd, degree, education, teacher*, tutor*, lecturer*, dean, deans, professor*, ministry of education, study programme*, campus, lyceum, gymnasium,
    grammar school*, high school*, primary school*, secondary school*, elementary school*, boarding school*, evening school*, adult education, driving
    school*, flight school*, police academy, art school*, music school*, conservatoire*, polytechnic*, seminary, institute of technology, learning
    platform*, learning management, edtech, day care, daycare, creche*, crèche*, pre-school*, preschool*`),
  enrol:
    words(`admit*, admission*, enrol*, applicant*, applications, apply for, applied, grade, grades, graded, grading, mark, marks, marking, marked, assess*,
    evaluat*, score, scores, scoring, rank*, assigned to, assigns pupil*, assigns children, assigns learner*, tracks, places, track, exclu*, expel*,
    cheat*, plagiar*, proctor*, drop out, dropout*, which level, learning outcome*, who is taken, who gets in, get in, gets in, let in, selects,
    selection, attainment, achievement*, test results, weakest half, candidates, who may attend, should attend, attend, take on, takes on, taken on,
    turn down, interview round, filter applicants, place offers, offered a place, offers places, get a place, gets a place, receive a place, who
    receives a place, allocate places, allocates places, assigns places, waiting list*, drop-outs, leave without, fail, will fail, at risk of failing,
    correct exam*, correct essay*, corrects, report cards, give marks, gives marks, gives grades, give grades, awards marks, points for answers, test
    scores, level of, proficiency, competence level*, expulsion`),
  /** Uses by their names, which need no deed. */
  school_use:
    words(`essay grading, essay scoring, exam grading, exam scoring, automated grading, automatic grading, automated marking, automatic marking, ai grading,
    ai marking, grading of, grader for, essay grader*, exam grader*, admission algorithm*, admissions algorithm*, admission scoring, student
    admission*, student selection, student assessment, student scoring, student ranking, school allocation, school assignment, learning assessment,
    dropout prediction, drop-out prediction, plagiarism detection, exam surveillance, exam monitoring, exam supervision, skills assessment of learners`),
  rated: JUDGING,
  /** Words of school. Two of them, and somebody judged, are about education. */
  school_hint:
    words(`class, classes, course, courses, quiz*, exam*, finals, lesson*, teacher*, tutor*, school*, grade, grades, pupil*, student*, child, children,
    learn, learns, learning, learnt, learner*, study, studies, semester*, facult*, degree*, cadet*, chapter*, cheat*, anti-cheating, homework,
    certificate*, campus, daycare, day-care, siblings, nursery, academic, academy, curricul*, maths, spelling test, essay*, university, college,
    apprentice*, diploma*, simulator session*, whispering, webcam*, scholarship*, dissertation*, assignment*, presentations, oral, moves up, move up,
    advanced course*, nursing course*, reading level*, first-grader*, second-grader*, grader, bar examination, sit the, second voice, candidates,
    applicants, intake, cohort*, entrance, enrol*, tuition, compositions, dictation*, vocabulary, arithmetic, gym class, art class, conservatory,
    seminar*, lectures, professor*, dean, doctoral, phd, master's, bachelor*, mba, graduate*, alumni, internship, trainee*, mastery, competenc*,
    report card, expel*, detention, truan*, attendance, gifted, dyslexi*, special needs, kindergart*, branch, paper at home`),
  /** What teachers teach with. */
  lesson_material:
    words(`lesson plan*, textbook*, quiz questions, worksheet*, chess, exercises for, library, libraries, books, machine learning, deep learning, learning
    rate, reinforcement learning, test bench*, unit test*, test case*, software test*`),
  /** The upkeep of a house and its day. */
  upkeep:
    words(`timetable*, formatting, page layout, room plan*, meeting room*, canteen*, menu, menus, cafeteria*, catering, parking, toner, printer*,
      cleaning, lift, lifts, elevator*, library, libraries, air conditioning, ventilation of the school, lighting, furniture, weather app*, opening
      hours, car park*, lost property, coffee, bicycles, school bus*, lunch, vegetarian, cartridge*, copier*, photocopier*, coffee machine*, desk
      lamp*, desk-lamp*, dimming, lounge, stand builder*`),
};

const rule = annex3<keyof typeof educationConcepts>;

export const educationRules = [
  rule("3", "those who learn are judged or placed", ["learner", "judge_learner"], ["upkeep"]),
  rule("3", "what they wrote, or where they want to go, is judged", ["schoolwork", "judge_work"], ["upkeep"]),
  rule("3", "places of education admit or grade", ["institution", "enrol"], ["upkeep"]),
  rule("3", "education and access to it", ["rated"], ["upkeep", "lesson_material"], "school_hint"),
  rule("3(d)", "proctoring", ["proctoring"]),
  rule("3", "education and access to it", ["school_use"], ["upkeep"]),
];
