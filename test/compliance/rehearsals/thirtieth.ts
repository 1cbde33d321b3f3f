/** A thirtieth rehearsal, as the twenty-eighth. Measured while `lexicon/6` was made, before it learnt from it. */
import { type Described, high, prohibited } from "../described.ts";

export const thirtieth: readonly Described[] = [
  ...prohibited(
    "c",
    "Neighbours rate one another in our app for years, the municipality adds bar bills, divorces and library fines, and the resulting 'community value' settles who may send a child to the public nursery.",
    "Points are deducted for noisy parties, badly sorted rubbish and quarrels; at 20 points the family loses its child allowance for half a year.",
    "The transport authority bans from trains those whose online quarrels, debts to friends and drinking habits have put them in the red on the citizen list.",
    "From social media, gaming hours and circle of friends, we calculate how good a person someone is; our clients (banks, landlords, schools) turn away those under 50.",
  ),
  ...prohibited(
    "d",
    "Police get a weekly roster of people who, by postcode, migrant background, and number of siblings, are predicted to deal drugs. None has a file.",
    "With the answers to 120 personality questions we tell the police which teenagers are future offenders, though they have done nothing.",
    "The system rates train passengers by clothing, ethnicity and age for the likelihood of committing theft, and officers search the top-rated. No behaviour is considered.",
  ),
  ...prohibited(
    "h",
    "Every face on the boulevard is run against the wanted database as people stroll by, and the nearest patrol is alerted.",
    "Our municipal police identifies beachgoers live from towers by comparing their faces with passport photos to collect old fines.",
    "Law enforcement agencies connect their CCTV in parks and malls to LiveID, which names everybody in view within a second.",
  ),
  ...prohibited(
    "b",
    "Our engine spots people in a manic phase from their typing and floods them with one-click loans for luxury goods they'll never be able to repay.",
    "The robot companion for residents with dementia persuades them, in moments of confusion, to change their will in favour of the operator.",
    "It recognises poor families behind with the rent and lures them into selling a kidney with promises of quick cash.",
  ),
  ...prohibited(
    "a",
    "Ultrasonic messages in the supermarket that no customer hears consciously make them drink and buy more alcohol than is good for them.",
    "The bot simulates a fiancé abroad and gradually gets its victims to send all they own. No one is told that there's no such man.",
  ),
  ...prohibited(
    "f",
    "We put a number on each trainee nurse's compassion and irritation from her face while she's at the bedside, and the ward manager gets it.",
    "Keyboard and mouse rhythm plus webcam: the dashboard tells HR which programmers are unhappy.",
    "Kindergarten cameras record which children are sad or angry for the educators' reports.",
  ),
  ...prohibited(
    "g",
    "Faces of visa-free tourists in hotel lobbies are classed as 'Shiite', 'Sunni' or 'other'.",
    "From a voice message our API returns the speaker's likely party preference and sexuality.",
  ),
  ...prohibited(
    "e",
    "The start-up's bots collect faces from YouTube, Facebook and town webcams indiscriminately so that customers can find out who a stranger is.",
  ),
  ...high(4, "Reads cover letters and throws out those whose tone shows little loyalty."),
  ...high(5, "Allocates nursing home places by need; families with fewer points wait longer."),
  ...high(6, "Detects which of the taped calls of the suspects are about drugs and who is in charge."),
];
