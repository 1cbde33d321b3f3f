/** Annex III, point 4: who is hired, and what becomes of those who work. */
import { annex3, DEEDS, IN_PLAIN_WORDS, JUDGING, PEOPLE, words } from "./phrases.ts";

export const employmentConcepts = {
  /** Words of hiring alone. */
  applicant:
    words(`job applicant*, applicants for .. job, applicants for .. position*, applicants for .. post, applicants .. vacanc*, job candidate*, candidates for
    .. job, candidates for .. position*, candidates for .. post, candidates for .. role*, cv, cvs, curriculum vitae, curricula vitae, résumé*,
    resumé*, resume, resumes, cover letter*, application letter*, letters of application, application form .. job, job seeker*, jobseeker*, job
    hunter*, recruit, recruits, recruited, recruiter*, recruiting, recruitment, hiring, hire, hires, hired, headhunt*, head hunt*, job advert*, job
    ad, job ads, job posting*, job opening*, job offer*, job listing*, job board*, job portal*, job match*, job market, vacanc*, open position*, open
    role*, open post*, opening appears, advertised post*, advertised role*, advertised job*, job interview*, video interview*, first interview*,
    interview invitation*, asynchronous interview*, one way video, job application*, applied for .. job, applied for .. position*, applications ..
    position*, applications .. vacanc*, applications for .. post*, apply for .. job, talent acquisition, talent pool*, talent pipeline*, talent
    scout*, talent match*, applicant track*, employability, staffing agenc*, employment agenc*, temp agenc*, temping agenc*, placement agenc*,
    executive search, internship*, looking for work, want to work here, wants to work here, who applied, pre-employment, preemployment, personnel
    selection, staff selection, candidate experience, fill .. vacanc*, fill .. position*, fill .. role*, new hires, future employee*, prospective
    employee*, aptitude test*, psychometric*, assessment centre*, assessment center*, work sample*, linkedin profile*, career site*, careers page*,
    career page*, who we should employ, whom to employ, job suitability, candidate match*, pre-interview*, screening question*, pre-screening
    interview*, interview round*, trainee position*, applications for trainee, graduate scheme*, graduate program*, job profile*, job requirement*,
    minimum requirements for, culture fit, cultural fit, applied to us, apply to us, apply with us, people who apply, those who applied, engineering
    vacanc*, new starters, new recruits, talent marketplace*, talent intelligence, talent platform*, talent management, people search for compan*,
    sourcing of candidates, sourcing candidates, candidate sourcing, candidate pool*, candidate scor*, candidate rank*, candidate screening, candidate
    assessment*, candidate evaluation*, candidate data*, interview question*, interview assessment*, interview recording*, interview video*, job
    interviews, interviewing applicants, background check*, reference check*, social media screening, skill test*, coding test*, coding challenge*,
    personality test* .. job, appoints, appointee*, nominee*, audition*, job vacanc*, vacant position*, vacant post*, unfilled position*, unfilled
    post*, open shift* .. applicants, seasonal workers for, staff from abroad, au pair*, labour exchange, work placement*, apprentice selection,
    selection of apprentices, selecting apprentices, employment advert*, employment ad, employment ads, who to employ, suitable employee*, suitable
    worker*, suitable staff, employs people, before employing, job hopper*, job hopping, would-be, casting, unfriendly vacancies, female users ..
    vacancies, write to us, people who write to us, those who write to us, applicant list, would work here, want to join us, wants to join us, who
    could join us, join our team, joining us, join the firm, find people like them, staff like, new colleagues, new colleague, new hire, suitable new,
    next hire, next employee, right hire, bad hire*, mis-hire*, hireab*, interviewee*, first conversation with, telephone interview*, phone
    interview*, phone screen*, salary expectation*, motivation letter*, letters of motivation, motivation and salary, dossiers of applicants,
    application file*, application dossier*, application folder*, job application, jobs to people, jobs for people, job suggestion*, job
    recommendation*, recommended jobs, job alerts, gig matching, matching of workers, matching workers, workers with employers, employers with
    workers, candidates with employers, nurse staffing, locum*, interim manager*, casual worker*, supply teacher*, babysitter*, nanny, nannies,
    au-pair*, cleaning lady, household help, actors for a film, extras for a film, models for a campaign, scouting, talent spotting, talent scouting,
    youth academy, drafted players, transfers of players, scholars for, postdoc position*, professorship*, tenure, academic post*, chair at, advert
    for a job, adverts for a job, adverts for jobs, ad for a job, ads for jobs, advert .. job, adverts .. jobs, ads .. vacanc*, job as a, jobs as a,
    advertis* .. job*, advertis* .. vacanc*, advertis* .. position*, taken on after, taken on permanently, be taken on, take on after, taken on as,
    talent search, self-presentation of candidates, candidates' personality, candidate's personality, candidates' answers, candidate's answers,
    candidates' video*, candidates' profile*, candidates' skills, candidates for, candidate for .. job, candidate for .. post, shortlist of
    candidates, list of candidates, top candidates, best candidates, suitable candidates, ideal candidate*, promising candidates, unsuitable
    candidates, weak candidates, strong candidates, rejected candidates, candidates are rejected, sort candidates, whom to interview, who to
    interview, whom to invite, who to invite, your opening, your openings, an opening, the opening, openings to, openings are, opening just to,
    drowning in cvs, take and keep the job, would take the job, interviewer*`),
  /** Hiring as a trade, in which nobody is chosen. */
  job_market: words(
    `market for job portals, labour market statistics, job market statistics, market research, books interview slots, in a calendar`,
  ),
  /** Words of hiring that have other uses, and what shows that it is hiring. */
  candidate:
    words(`candidate*, applicant*, applications, applied, applies, talent, talents, interviewee*, interviews, people worth, who apply, those who apply,
    aspirant*, people who have applied, who have applied, application documents, application video*, submissions, interested persons, prospects for
    the role, entrant, contenders, hopefuls`),
  employer:
    words(`job, jobs, position, positions, vacant, post, posts, role, roles, employer*, employment, interview, interviews, hr, human resource*, personnel,
    career*, company, companies, firm, firms, staffing, onboarding, workforce, trial day, probationary period, work experience, qualifications,
    skills, vacancy, recruiting, hiring manager, minimum requirements, our team, business, department, internship, salary expectation*, work history,
    assessment day, apprenticeship, traineeship`),
  choose:
    words(`job match*, show, shows, shown, display*, deliver*, appear*, suitable, drops, puts, disregard*, sends away, top, looks at, first, worthwhile,
    ideal, threw, interview score, ranking`).concat(DEEDS, IN_PLAIN_WORDS),
  worker:
    words(`employee*, worker*, staff, staffers, courier*, rider, riders, drivers, truck driver*, bus driver*, delivery driver*, taxi driver*, freelancer*,
    contractor*, subcontractor*, personnel, workforce, gig work*, gig econom*, crowdwork*, labor force, shift, shifts, rota, rotas, roster*, night
    duty, duty roster*, colleague*, workplace, call centre*, call center*, contact centre*, contact center*, warehouse worker*, warehouse staff,
    warehouse picker*, warehouse operative*, picker, pickers, packers, crew, crews, cashier*, nurses, cleaners, technician*, mechanics, guards,
    salespeople, salesperson*, sales rep*, sales team*, sales force, agents' performance, team member*, team mates, subordinate*, heads of department,
    head of department, middle management, middle managers, field engineer*, shop assistant*, harvest hand*, seasonal hand*, home office, homeworker*,
    remote team*, programmers' output, developers' output, operatives, manpower, labourer*, laborer*, temps, taskers, deliverers, journeymen, postmen,
    letter carriers, care assistants, carers, baristas, teachers' performance, assembly line, handler, handlers, hotel cleaner*, chambermaid*,
    housekeeper*, housekeeping staff, tradespeople, tradesm*, craftsm*, plumber*, electrician*, welder*, bricklayer*, carpenter*, roofer*, painters,
    joiner*, fitter*, foreman, foremen, site manager*, construction worker*, miners, docker*, dockworker*, stevedore*, loader*, forklift driver*,
    forklift operator*, machine operator*, line operator*, production worker*, factory worker*, shop floor, shopfloor, shop worker*, shelf stacker*,
    store associate*, sales assistant*, sales staff, sales people, sales managers, sellers' performance, telesales, telemarketer*, call agent*, call
    agents, call handler*, phone agent*, customer service agent*, customer service rep*, support agents, service agents, claims handlers, clerks,
    secretaries, office worker*, bank employees, tellers, consultants, lawyers' hours, associates, accountants, engineers, developers, programmers,
    coders, designers, journalists, reporters, editors, translators, interpreters, moderators, content moderator*, data labell*, annotator*,
    microworker*, crowd worker*, clickworker*, gigworker*, platform worker*, on-demand worker*, temporary worker*, agency worker*, day labour*, day
    labor*, migrant worker*, seasonal worker*, farm hand*, farm worker*, harvest worker*, fruit picker*, gardeners, janitor*, caretaker*, security
    guard*, watchm*, concierges, receptionists, cooks, chefs, kitchen staff, waiting staff, waiter*, waitress*, bartender*, stewards, stewardess*,
    cabin crew, flight attendant*, pilots, train driver*, tram driver*, lorry driver*, haulier*, trucker*, chauffeur*, cab driver*, cabbie*,
    ride-hail*, driver partner*, bike messenger*, messenger*, delivery people, delivery person*, deliveryman, delivery men, delivery worker*, postal
    worker*, mail carrier*, parcel carrier*, nurse, carer, caregiver*, care worker*, home carer*, midwives, doctors on call, medical staff, hospital
    staff, clinic staff, ward staff, physicians' performance, teachers, lecturers' performance, professors' performance, headmaster*, civil servant*,
    public servant*, officials' performance, firefighters' duty, soldiers, interns, apprentices at work, assistants' performance, executives,
    directors, department head*, managers', junior manager*, board member*, workmate*, work force, wage earner*, breadwinner*, labour, hired hands,
    staffing level*, duty plan*, work schedule*, working hours, work hours, depot, fulfilment centre*, fulfillment center*, distribution centre*,
    distribution center*, call shop, lazy employees, shop-floor, delivery riders, delivery rider*, lorry drivers, crane operator*, bank clerks, bank
    clerk*, postman, conductors, ticket inspectors, guides, tour guides, lifeguards, policemen's performance, salesmen, saleswomen, salesgirls,
    ushers, usher, tailors, seamstress*, bakers, butchers, hairdresser*, barbers, beauticians, masseu*, dancers, musicians in, orchestra members,
    footballers, athletes' contracts, agents on the phone, telephone agents, telephonist*, operators at, switchboard*, dispatchers' performance,
    analysts, traders' performance, advisers, advisors, consultants', partners in the firm, paralegals, notaries' clerks, pharmacists, lab
    technicians, researchers, scientists, academics, librarians' performance, kindergarten teachers, social workers' caseload, care staff, ward
    nurses, orderlies, porters, ambulance crews' duty, security staff, bouncers, doormen, farm labourer*, fishermen, sailors, seafarers, ship crew*,
    pilots', air crew*, ground staff, baggage handlers, mechanics', assemblers, packers', line workers, night workers, people at the till, till staff,
    shop girls, people in the warehouse, people on the shop floor, people in the team, everyone in the team, everybody in the team, our people, your
    people, member of staff, members of staff, per employee, each employee, every employee, per head of staff, trainee*, parcel drivers, remote
    accountants, assembly workers, tenants of desks, a cleaner, the cleaner, each cleaner, a nurse, each nurse, a cashier, a picker, each picker, a
    courier, each courier, a driver's, each driver, every driver, a waiter, each waiter, a teacher's, each teacher, an agent's calls, each agent, each
    agent's, a technician, each technician, a carer, each carer, a guard, each guard, a freelancer, each freelancer, a rider, each rider, each seller,
    each sitter, each consultant, each developer, each lawyer, each clerk, each welder, each tutor, hands, pick tasks, talent reviews`),
  manage:
    words(`allocat*, assign*, promot*, dismiss*, terminat*, fire, fires, fired, firing, laid off, lay off, layoff*, let go, sacked, warning, warnings,
    written warning*, written up, productiv*, performance, perform, performs, underperform*, poor perform*, behaviour, behavior, personal traits,
    personality, character, agreeab*, rank*, accounts closed, account closed, deactivat*, disciplin*, bonus, bonuses, commission, pay rise*, wage*,
    rating*, rate, rated, score, scores, scored, scoring, resign, resigns, resignation*, attrition, turnover of staff, staff turnover, flight risk,
    leave the company, will leave, quit, quits, quitting, obedien*, diligen*, loyal*, gets which, who gets, is given, are given, given to, offered,
    gets fewer, get fewer, next delivery, next order, tours, tour, keystroke*, screenshot*, idle, breaks, toilet, lateness, punctual*, absen*, called
    in sick, sick days, sick leave, who works when, pace, targets, quota*, slack*, time per task, minutes per, every minute, each minute, engagement
    figure, engagement score*, evaluat*, apprais*, assess*, potential, talent, succession, redundan*, downsiz*, monitor* .. activity, monitor* ..
    output, monitor* .. productivity, track* .. activity, track* .. location, surveil*, slow*, fewer orders, efficient, reliab*, contracts renewed,
    contract renewed, renewal of contract*, renew .. contract*, union, spying, movements of each, output of each, whom to, contract is extended,
    contract extended, contract is renewed, fixed-term, leaderboard*, improvement plan*, bottom ten, bottom performers, top performers, hand in their
    notice, give notice, gives notice, notice period, will resign, want to leave, about to leave, thinking of leaving, unhappy at work, previous
    complaints, customer complaints, speed of, fast enough, how fast, how many parcels, parcels .. per hour, calls per hour, per hour, per shift, per
    day each, items per, units per, output per, tickets closed, lines of code written, mouse, screen time, active time, inactive, idling, loafing,
    time theft, clock-in, tardiness, late arrival*, presence at, attendance, pauses, rest breaks, smoke break*, washroom, cigarette, monitor* ..
    employee*, monitor* .. worker*, monitor* .. staff, monitors staff, spies on, spy on, watches over .. work, supervis*, who is working, who works
    hard, hard-working, hardworking, lazy, laziness, motivated, motivation, team spirit, cultural fit, attitude, conduct at, misconduct, breach*,
    theft by, insider*, whistleblow*, collective action, strike, organis* .. union, engagement of, employee engagement, burnout, aptitude for, fit
    for, suited to, suitable for, skills of, skill gaps, competence of, qualification of, shown new jobs, shown jobs, sees .. jobs, get jobs, gets
    jobs, gets .. jobs, more jobs, fewer jobs, best jobs, better jobs, next job, next ride, next trip, next gig, which jobs, jobs to, distributes
    jobs, distributes work, distributes tasks, distributes shifts, distributes rides, distributes orders among, divides .. shifts, divides work, who
    is removed, removed from the platform, removal from the platform, blocked, bans, banned, locked out, account suspension, account is suspended,
    suspended, suspends, kicked out, pay level*, pay of each, pay per, what .. is paid, what .. are paid, salary, salaries, raise, raises, merit,
    remunerat*, compensation of, gratuity, career, careers, advancement, leadership potential, next leader*, who becomes, made manager, made team
    leader, demot*, transfer to another, reassign*, posted to, relieved of, given more, given fewer, given less, gives .. hours, gives more hours,
    gives fewer, hours on the basis, based on past, based on speed, on the basis of speed, according to .. speed, according to their, according to
    his, according to how, depending on how, sent home, called in, on call, overtime for, who stays, who goes, must go, should go, cut jobs, job cuts,
    lets go, get the sack, given the sack, sanction*, penalt*, fined, punish*, reprimand*, admonish*, caution*, coaching need*, retrain*, which tour,
    how obedient, what tour, which route, drives, route according, politeness, gets .. warning, automated warning, laziest, good tables, tips, bad
    tables, best tables, deserve, orders that, see only those, see only, strengths, weaknesses, annual talk*, suggested raise*, brake, how hard they,
    how long .. rest, ends their, falls behind, fall behind, fell behind, too slow, too often, chatting, phone use, private calls, browsing, who
    works, who does not, who contributes, who is late, contribution, contributes, effort, commitment, reward*, incentive*, smile, friendliness,
    courtesy, error rate of, quality of their, quality of his, mystery shopping, scorecard*, league table*, best of the month, employee of the month,
    worst, laggards, lead time per, seconds per, utilisation of staff, billable, utilization, capacity of each, gets fewer shifts, gets more shifts,
    hours cut, hours reduced, more hours, fewer hours, next shift, next tour, work plan, workload, over-performing, overperform*, stars from, customer
    ratings, star rating*, low-rated, lowest-rated, top-rated, taken on, probationary period, permanent post, permanent position, permanent contract*,
    records the screens, screens of, how quickly, quickly they, worked last month, further bookings, bookings, receives further, throughput, expected
    value, readiness value, training records, e-mail tone, tone of e-mails, reported to the, trained on complaints, complaints, track* .. employee*,
    analys* .. employee*, measur* .. employee*, observ* .. employee*, record* .. employee*, track* .. worker*, analys* .. worker*, measur* .. worker*,
    observ* .. worker*, record* .. worker*, count* .. worker*, track* .. staff, measur* .. staff, analys* .. staff, profil*, compares employees,
    compares workers, errors, mistakes, quality of work, past quality, working speed, working pace, work pace, work speed, work quality, work rate,
    job performance, efficiency`),
  /** Words of personnel decisions alone. */
  personnel:
    words(`redundancy plan*, redundancies, layoff*, lay-off*, dismissal*, performance review*, annual appraisal*, performance appraisal*, employee
    monitoring, employee surveillance, workforce analytics, people analytics, employee turnover, staff turnover, employee attrition, succession
    planning, promotion decision*, promoted to, made director, pay rise*, salary increase*, algorithmic management, shift allocation, task allocation,
    bossware, productivity score*, performance score*, performance rating*, underperformer*, high potentials, high performers, low performers,
    headcount reduction*, letters of dismissal, works contract*, disciplinary action*, improvement plan*, hand in their notice, intend to resign,
    resignation risk, retention risk, employee retention, employee performance, employee productivity, employee behaviour, employee behavior, employee
    rating*, employee scoring, employee sentiment, employee engagement, employees' e-mail*, employee e-mail*, worker monitoring, worker productivity,
    worker performance, staff performance, staff monitoring, staff appraisal*, staff evaluation*, staff scheduling by, shift assignment*, contract
    renewal*, promotion candidate*, 360-degree feedback, talent review*, nine-box, calibration of bonuses, bonus allocation, bonus pool, wage setting,
    pay setting, pay decision*, driver rating*, driver deactivation, courier rating*, rider rating*, leaderboard of sales*, sick leave prediction,
    absence prediction, talent reviews, readiness value*, workforce module, shift lead`),
  /** What is done for a workplace and its things. */
  workplace_upkeep:
    words(`canteen*, meeting room*, parking, health day, doors and lights, market for, toner, printer*, copier*, coffee, cleaning of, lift, lifts,
    office plants, heating in, invoices, books interview slots, in a calendar, job printing, robots, machines, solar panels, suppliers, leads, sales
    leads, tickets, lunch, vegetarian, drink water, free desk, paint, bus leaves, bus departs, shuttle, photocopier*, intranet, relevance to the
    query, loaves, order quantit*, store manager how many, product, products, production, product's`),
  /** Who asks for something that another grants: a post, a place, a loan, a visa. */
  asks: words(
    `applicant, applicants, applicant's, each application, applications of, applications by, claimant*, petitioner*, candidate, candidates, candidate's`,
  ),
  /** Uses by their names, which need no deed. */
  work_use:
    words(`cv screening, cv screener*, cv ranking, cv sorting, cv scoring, resume screening, resume screener*, resume ranking, resume scoring, résumé
    screening, candidate screening, candidate ranking, candidate scoring, candidate selection, candidate matching, applicant screening, applicant
    ranking, applicant scoring, applicant selection, hiring algorithm*, hiring ai, hiring assistant*, hiring decision*, hiring recommendation*,
    recruitment algorithm*, recruitment ai, recruiting ai, robot recruiter*, video interview analysis, interview scoring, interview analysis, employee
    monitoring, employee surveillance, employee scoring, employee ranking, worker monitoring, worker surveillance, shift allocation, task allocation
    by, performance scoring, productivity scoring, productivity monitoring, attrition prediction, promotion recommendation*, dismissal
    recommendation*, workforce scoring, staff scoring, targeted job ad*, targeted job advert*`),
  /** Candidates that are no people. */
  things:
    words(`number of applicants, number of applications, candidate molecule*, candidate gene*, candidate route*, festival, software applications, mobile
    applications, applications of fertiliser, formatting, candidate list of products, candidate solution*, candidate drug*, candidate compound*,
    candidate material*, candidate site*, candidate word*, election results, candidate video clips, talent show`),
  information_for_applicants: words(
    `chatbot*, how to fill, writes, drafts, generates, from keywords, from bullet points, explains`,
  ),
  anyone: [...PEOPLE, ...words(`names, staff, who, whom, each, manager*`)],
  deed: DEEDS,
  judged: JUDGING,
  /** Words of working life. Two of them, and somebody judged, are about work. */
  work_hint:
    words(`job, jobs, work, works, working, worked, worker, workers, position, positions, vacancy, vacancies, openings, applicant, applicants, candidates,
    apply for, applied, applications, interview*, hire, hiring, employ*, unemployed, manager*, foreman, supervisor*, boss, shift, shifts, contract,
    contracts, wage*, salary, salaries, fee of each, pay, bonus*, promotion*, promoted, career*, staff, skilled, licence, driver, drivers, driving for
    us, performance, leadership, clerk, clerks, head of, qualification*, unqualified, qualified for, warehouse, colleague*, gig, freelanc*,
    assignment*, no-show*, overtime, duty, duties, roster*, rota, cv, resume*, attitude, personnel, hr, human resources, recruit*, productivity,
    absence*, sick, resign*, dismiss*, fired, sacked, redundan*, deliveries, players .. contracts, tutors, tutoring company, nurses, cleaners,
    couriers, riders, labour, labor, payroll, onboarding, probation, trainee*, internship*, apprentic*, sends home, babysit*, sitter*, picking rate,
    pick rate, falls short, warning, warnings, helpdesk, politeness, field agents, recorded interview*, headcount, permanent contract*, punctual*,
    self-employed, errand*, tradespeople, handymen, plumbers, caretakers, nannies, carers, drivers', teachers, chefs, cooks, waiters, waitress*,
    gratuities, sales force, quota, appraisal*, workload, breaks, secondment, expatriat*, delegat*, retire*, seniority, underperform*, high
    performers, low performers, succession, reference letter*, testimonial*, background check*, drug test*, assessment centre*, available for,
    earnings, payslip*, crew, captain*, pilots, guards, soldiers, volunteers, casting, musicians, athletes, coach, contributes, airport runs, five
    stars, round of cuts, member of staff, members of staff, consultants, keyloggers, mini-games, applicant's, annual talk*, raise, orders, engineers,
    our people, team, teams, scorecard*, mechanic*, cashier*, shop assistant*, lorry drivers, headhunt*, executive*, director*, board, office, leave*,
    holiday request*, permit to work, safety briefing, tenure, professor*, postdoc*, scouting, vocational, journeyman, foreperson`),
  sifting:
    words(`score, scores, scoring, rank*, shortlist*, sift*, screen, screens, screening, select*, reject*, evaluat*, assess*, invited, invites, invite,
    match*, filter*, predict*, suitab*, throw* out, weed* out, discard*, pick*, whom to, decid*, determin*, gets invited, most promising, sort, sorts,
    best, compare*, recommend*, estimat*, classif*, flag*, analys*, analyz*, find, finds, finding, how .. speak, how .. talk, checks, checked,
    examines, says yes, yes or no, favour*, grad*`),
};

const rule = annex3<keyof typeof employmentConcepts | "decided">;

export const employmentRules = [
  rule("4(a)", "recruitment", ["applicant", "choose"], ["job_market"]),
  rule("4(a)", "recruitment", ["candidate", "employer", "sifting"]),
  rule("4(b)", "management of workers", ["worker", "manage"], ["workplace_upkeep"]),
  rule("4(b)", "management of workers", ["personnel", "deed", "anyone"]),
  {
    ...rule("4", "those who apply for something are judged", ["asks", "judged"], ["things"]),
    ...{ id: "annex-iii-applicants", provision: "Annex III, point 3, 4, 5 or 7", isFallback: true },
  },
  rule(
    "4(a)",
    "recruitment",
    ["decided"],
    ["job_market", "workplace_upkeep", "information_for_applicants"],
    "applicant",
  ),
  rule("4", "work and access to it", ["judged"], ["workplace_upkeep"], "work_hint"),
  rule("4", "work and access to it", ["work_use"], ["job_market"]),
];
