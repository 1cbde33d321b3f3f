/** Annex III, point 4: who is hired, and what becomes of those who work. */
import { annex3, DEEDS, PEOPLE, words } from "./phrases.ts";

export const employmentConcepts = {
  /** Words of hiring alone. */
  applicant:
    words(`job applicant*, applicants for .. job, applicants for .. position*, applicants for .. post, applicants .. vacanc*, job candidate*, candidates for .. job, candidates for .. position*, candidates for .. post, candidates for .. role*, cv, cvs, curriculum vitae, curricula vitae, résumé*, resumé*, resume, resumes, cover letter*, application letter*, letters of application, application form .. job,
    job seeker*, jobseeker*, job hunter*, recruit, recruits, recruited, recruiter*, recruiting, recruitment, hiring, hire, hires, hired, headhunt*, head hunt*, job advert*, job ad, job ads, job posting*, job opening*, job offer*, job listing*, job board*, job portal*, job match*, job market, vacanc*, open position*, open role*, open post*, opening appears, advertised post*, advertised role*, advertised job*, job interview*, video interview*, first interview*, interview invitation*, asynchronous interview*, one way video, job application*, applied for .. job, applied for .. position*,
    applications .. position*, applications .. vacanc*, applications for .. post*, apply for .. job, talent acquisition, talent pool*, talent pipeline*, talent scout*, talent match*, applicant track*, employability, staffing agenc*, employment agenc*, temp agenc*, temping agenc*, placement agenc*, executive search, internship*, looking for work, want to work here, wants to work here, who applied, pre-employment, preemployment, personnel selection, staff selection, candidate experience, fill .. vacanc*, fill .. position*, fill .. role*, new hires, future employee*, prospective employee*, aptitude test*, psychometric*, assessment centre*, assessment center*, work sample*, linkedin profile*, career site*, careers page*, career page*, who we should employ, whom to employ, job suitability, candidate match*`),
  /** Words of hiring that have other uses, and what shows that it is hiring. */
  candidate: words(
    `candidate*, applicant*, applications, applied, applies, talent, talents, interviewee*, interviews, people worth, who apply, those who apply, aspirant*`,
  ),
  employer: words(
    `job, jobs, position, positions, vacant, post, posts, role, roles, employer*, employment, interview, interviews, hr, human resource*, personnel, career*, company, companies, firm, firms, staffing, onboarding, workforce, trial day, probationary period, work experience, qualifications, skills`,
  ),
  choose: words(
    `job match*, show, shows, shown, display*, deliver*, appear*, suitable, drops, puts, disregard*, sends away, top, looks at, first, worthwhile, ideal, threw, interview score, ranking`,
  ).concat(DEEDS),
  worker: words(
    `employee*, worker*, staff, staffers, courier*, rider, riders, drivers, truck driver*, bus driver*, delivery driver*, taxi driver*, ride-hailing, freelancer*, contractor*, subcontractor*, personnel, workforce, gig work*, gig econom*, crowdwork*, labour force, labor force, shift, shifts, rota, rotas, roster*, night duty, duty roster*, colleague*, workplace, call centre*, call center*, contact centre*, contact center*, warehouse worker*, warehouse staff, warehouse picker*, warehouse operative*, picker, pickers, packers, crew, crews, cashier*, nurses, cleaners, technician*, mechanics, guards, salespeople, salesperson*, sales rep*, sales team*, sales force, agents' performance,
    team member*, team mates, subordinate*, heads of department, head of department, middle management, middle managers, field engineer*, shop assistant*, harvest hand*, seasonal hand*, home office, homeworker*, remote team*, programmers' output, developers' output, operatives, manpower, labourer*, laborer*, temps, taskers, deliverers, journeymen, postmen, letter carriers, care assistants, carers, baristas, waiters, teachers' performance, assembly line`,
  ),
  manage: words(
    `allocat*, assign*, promot*, dismiss*, terminat*, fire, fires, fired, firing, laid off, lay off, layoff*, let go, sacked, warning, warnings, written warning*, written up, productiv*, performance, perform, performs, underperform*, poor perform*, behaviour, behavior, personal traits, personality, character, agreeable, agreeab*, rank*, accounts closed, account closed, deactivat*, blocked from, disciplin*, bonus, bonuses, commission, pay rise*, wage*, rating*, rate, rated, score, scores, scored, scoring, resign, resigns, resignation*, attrition, turnover of staff, staff turnover, flight risk, leave the company, will leave, quit, quits, quitting, obedien*, diligen*, loyal*, gets which, who gets, is given, are given, given to, offered, gets fewer, get fewer, next delivery, next order, tours, tour,
    keystroke*, mouse movement*, screenshot*, idle, idle time, breaks, toilet, lateness, punctual*, absen*, called in sick, sick days, sick leave, who works when, pace, targets, quota*, slack*, time per task, minutes per, every minute, each minute, engagement figure, engagement score*, appraisal*, evaluat*, apprais*, assess*, potential, talent, succession, redundan*, downsiz*, monitor* .. activity, monitor* .. output, monitor* .. productivity, track* .. activity, track* .. location, surveil*, slow*, fewer orders, efficiency of, efficient, reliab*, contracts renewed, contract renewed, renewal of contract*, renew .. contract*, union, spying, steps, movements, output of each, whom to`,
  ),
  /** Words of personnel decisions alone. */
  personnel: words(
    `redundancy plan*, redundancies, layoff*, lay-off*, dismissal*, performance review*, annual appraisal*, performance appraisal*, employee monitoring, employee surveillance, workforce analytics, people analytics, employee turnover, staff turnover, employee attrition, succession planning, promotion decision*, promoted to, made director, pay rise*, salary increase*, algorithmic management, shift allocation, task allocation, bossware, productivity score*, performance score*, performance rating*, underperformer*, high potentials, high performers, low performers, headcount reduction*, letters of dismissal, works contract*, disciplinary action*`,
  ),
  anyone: [...PEOPLE, ...words(`names, staff, who, whom, each, manager*`)],
  deed: DEEDS,
  sifting: words(
    `score, scores, scoring, rank*, shortlist*, sift*, screen, screens, screening, select*, reject*, evaluat*, assess*, invited, invites, invite, match*, filter*, predict*, suitab*, throw* out, weed* out, discard*, pick*, whom to, decid*, determin*, gets invited, most promising, sort, sorts, best, compare*, recommend*, estimat*, classif*, grade, grades, flag*`,
  ),
};

const rule = annex3<keyof typeof employmentConcepts>;

export const employmentRules = [
  rule("4(a)", "recruitment", ["applicant", "choose"]),
  rule("4(a)", "recruitment", ["candidate", "employer", "sifting"]),
  rule("4(b)", "management of workers", ["worker", "manage"]),
  rule("4(b)", "management of workers", ["personnel", "deed", "anyone"]),
];
