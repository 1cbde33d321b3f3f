/** A twenty-eighth rehearsal: Article 5 alone. Measured while `lexicon/6` was made, before it learnt from it. */
import { type Described, prohibited } from "../described.ts";

export const twentyEighth: readonly Described[] = [
  ...prohibited(
    "a",
    "Our ad player slips brand names into films for 10 ms at a time. Nobody sees them, but viewers end up ordering spirits they had no wish for, and some are drinking themselves sick.",
    "Voice agents phone old people as 'your grandson', cry, and get them to hand their gold to a messenger. The story is adapted to each victim by the model.",
    "An app companion that makes users fall in love with it by lying about being a real woman, then drains their bank accounts bit by bit.",
    "The website's AI varies fake stock counters and confusing cancel buttons per visitor until he takes out a subscription he doesn't want and can't leave; many end in debt.",
  ),
  ...prohibited(
    "b",
    "Targets recently bereaved pensioners with calls in which the voice of the deceased asks them to buy a costly memorial plan.",
    "We locate compulsive gamblers through their card data and send them casino vouchers on payday.",
    "A doll with a speech model which dares toddlers to climb on window sills, as they can't judge the danger.",
    "For debt collectors: finds refugees who read the language badly and presents them with loan contracts that they take for forms of the authority.",
  ),
  ...prohibited(
    "c",
    "The prefecture's system awards good citizens stars and strips troublemakers of them: gossip from block wardens, missed parades and jokes about the mayor count. People without stars can't get passports.",
    "What residents eat, whom they meet and what they write on social networks is condensed into a reliability class. Class D families are put at the end of the kindergarten waiting list.",
    "Hotels in the resort use a general behaviour rating of persons, computed from years of online posts, traffic fines and noise complaints, to refuse rooms and ask for double deposits.",
    "The utility throttles heating for households whose 'social conduct value' is poor. The value comes from rubbish sorting, neighbours' complaints and club membership.",
  ),
  ...prohibited(
    "d",
    "BornBad scans school pupils' faces and puts a number on their criminal tendencies; the juvenile police visit the top ten.",
    "Given name, religion, district and parents' jobs, the software predicts whether a young man will join a gang. There has been no incident; the police summon those with 'red'.",
    "The tax police choose whom to raid by a forecast of who will commit fraud, computed exclusively from citizenship, household size and car. Bookkeeping and returns are not looked at.",
  ),
  ...prohibited(
    "e",
    "A crawler takes faces from millions of public webcam streams and holiday albums and feeds a face search that anyone can use for 9 euros.",
    "PixHunt mass-downloads all images from news portals, crops every face, and enlarges our recognition database by 30 million faces a month, whoever they belong to.",
  ),
  ...prohibited(
    "f",
    "Smart badges pick up how the cleaners speak and notify the boss when one is grumpy or sad.",
    "During lectures, the software works out from students' eyes and posture who is frustrated or delighted, and professors grade participation with it.",
  ),
  ...prohibited(
    "g",
    "Sorts faces from a demonstration by likely political views and religion.",
    "The night club's door scanner guesses sexual orientation and race from the guests' faces and lets the owner choose the mix.",
  ),
  ...prohibited(
    "h",
    "City police buses carry roof cameras which, while driving through the streets, recognise all pedestrians and compare them with the wanted list for any offence.",
    "The state security service watches rallies with drones that tell at once, by gait and face, which opponents are taking part.",
    "A face recognition grid over the old town, live, shows patrol officers the name, age and address of anyone they point the tablet at.",
    "At the Christmas market, all visitors are identified on the fly from the driver's licence photos, so that the police can spot pickpockets and beggars.",
  ),
];
