import { axis, list, range, type ProductRange } from './product-range.js';

/** The word tables of the demo store. Every shop, brand, product, person and address is invented. */

/**
 * Brand name, the ranges it makes, and its description. The last brand is inactive: its products remain visible, its
 * listing does not.
 */
export const BRANDS: readonly (readonly [name: string, ranges: string, description: string])[] = [
  [
    'Kestrelwick',
    'tents|backpacks|trail-shoes',
    'Light shelters and packs, sewn for long weekends away from the road.',
  ],
  ['Tarnfold', 'jackets|trousers|tents', 'Waterproof layers that fold small and last for years.'],
  ['Bramblehex', 'garden-tools|planters', 'Hand tools and planters for gardens that fight back.'],
  ['Emberlathe', 'camp-kitchen|tableware', 'Camp kitchens and stoves made by people who cook outside.'],
  ['Wrenmantle', 'tops|trousers|jackets', 'Merino and cotton clothing in quiet colors.'],
  ['Skerrybrook', 'boots|trail-shoes', 'Boots and trail shoes on lasts that fit real feet.'],
  ['Mosskettle', 'tableware|camp-kitchen|planters', 'Stoneware and enamel for the table, indoors or out.'],
  ['Cairnloom', 'blankets|tops', 'Woven blankets and bed linen from small mills.'],
  ['Grovelatch', 'outdoor-furniture|garden-tools', 'Outdoor furniture that is repaired, not replaced.'],
  ['Duskfennel', 'lighting', 'Lamps and lanterns with a warm, low light.'],
  ['Saltwhistle', 'sleeping-bags|tents|backpacks', 'Sleeping bags and mats, rated honestly.'],
  [
    'Oldbarrow Works',
    'boots|camp-kitchen|lighting|outdoor-furniture',
    'Discontinued line, kept for warranty questions.',
  ],
];

/** Top-level categories in display order; the inactive one comes last. */
export const DEPARTMENTS: readonly (readonly [slug: string, name: string, description: string])[] = [
  ['camping', 'Camping & Hiking', 'Shelter, sleep, packs and dinner for nights outside.'],
  ['apparel', 'Apparel', 'Layers for weather that changes its mind.'],
  ['footwear', 'Footwear', 'Boots and shoes for wet roots and dry rock.'],
  ['home', 'Home', 'Warm, useful things for the house.'],
  ['garden', 'Garden', 'Tools, planters and a place to sit.'],
  ['winter-clearance', 'Winter Clearance', 'Last pieces of the cold season.'],
];

const COLOR = axis('Color', 'Moss=MOS|Slate=SLT|Rust=RST|Ink=INK|Oat=OAT|Fern=FRN|Dusk Blue=DBL', 0);
const SIZE = axis('Size', 'XS|S|M|L|XL|2XL', 0);
const SHOE = axis('Size', '38|39|40|41|42|43|44|45', 0);
const VOLUME = axis('Volume', '18 L=18L|28 L=28L|38 L=38L|55 L=55L', 1500);
const TEMPERATURE = axis('Comfort', '10 °C=P10|5 °C=P05|0 °C=Z00|-7 °C=M07', 2500);
const BED = axis('Size', 'Twin=TWN|Queen=QUN|King=KNG', 2000);
const DIAMETER = axis('Diameter', '18 cm=18|24 cm=24|32 cm=32|40 cm=40', 900);

const FABRIC = 'Ripstop nylon|Recycled polyester|Waxed cotton canvas';
const CLOTH = 'Merino wool|Organic cotton|Cotton and hemp|Recycled polyester';

/** The sub-categories, in display order within their department. */
export const RANGES: readonly ProductRange[] = [
  range(
    'camping',
    ['tents', 'Tents & Shelters', 'TNT'],
    [119, 489],
    [],
    'Dome Tent|Tunnel Tent|Solo Bivy|Family Tent|Tarp Shelter',
    'pitches in under five minutes, inner and fly together|stands without pegs on rock and sand|keeps its shape in a gale',
    { Season: '2 seasons|3 seasons|4 seasons', Weight: '1.4 kg|2.1 kg|3.6 kg', Fabric: FABRIC },
  ),
  range(
    'camping',
    ['sleeping-bags', 'Sleeping Bags', 'SLP'],
    [79, 329],
    [TEMPERATURE],
    'Mummy Bag|Down Quilt|Camp Quilt|Trail Bag|Double Bag',
    'packs to the size of a loaf of bread|vents from both ends on warm nights|has a draft collar that stays put',
    { Filling: '650-fill down|Recycled synthetic', Weight: '620 g|880 g|1.2 kg', 'Packed size': '4 L|7 L' },
  ),
  range(
    'camping',
    ['backpacks', 'Backpacks', 'BPK'],
    [49, 219],
    [VOLUME, COLOR],
    'Daypack|Trekking Pack|Rolltop|Frame Pack|Travel Duffel',
    'carries close and rides quietly|opens flat for packing|has a back panel that breathes',
    { Fabric: FABRIC, 'Rain cover': 'Included|Not included', 'Back length': 'S–M|M–L|Adjustable' },
  ),
  range(
    'camping',
    ['camp-kitchen', 'Camp Kitchen', 'KIT'],
    [12, 149],
    [],
    'Gas Stove|Cook Set|Enamel Mug|Coffee Press|Folding Grill',
    'boils half a liter before the rain starts|nests into its own lid|cleans up with a handful of snow',
    { Material: 'Anodized aluminium|Enameled steel|Titanium', Weight: '95 g|240 g|610 g' },
  ),
  range(
    'apparel',
    ['jackets', 'Jackets', 'JKT'],
    [89, 329],
    [SIZE, COLOR],
    'Rain Shell|Down Jacket|Wind Anorak|Field Coat|Fleece Jacket',
    'sheds rain without rustling|layers over a sweater and under a pack|has pockets above the hip belt',
    { Material: FABRIC, Care: 'Wash at 30 °C|Wipe clean, rewax yearly', Fit: 'Regular|Relaxed' },
  ),
  range(
    'apparel',
    ['tops', 'Tops & Base Layers', 'TOP'],
    [24, 119],
    [SIZE, COLOR],
    'Merino Tee|Flannel Shirt|Base Layer|Wool Sweater|Henley',
    'stays fresh for days|has flat seams under pack straps|softens with every wash',
    { Material: CLOTH, Care: 'Wash at 30 °C|Wash at 40 °C|Hand wash', Fit: 'Slim|Regular|Relaxed' },
  ),
  range(
    'apparel',
    ['trousers', 'Trousers', 'TRS'],
    [49, 169],
    [SIZE, COLOR],
    'Trail Pants|Canvas Work Pants|Hiking Shorts|Wool Trousers|Rain Pants',
    'stretches over a high step|has reinforced knees and a quiet hem|dries on the walk home',
    { Material: CLOTH, Care: 'Wash at 30 °C|Wash at 40 °C', Pockets: '4|5|7' },
  ),
  range(
    'footwear',
    ['boots', 'Hiking Boots', 'BOT'],
    [129, 279],
    [SHOE, COLOR],
    'Hiking Boot|Mountain Boot|Winter Boot|Chukka Boot|Rubber Boot',
    'needs no breaking in|can be resoled twice|holds the heel on steep descents',
    { Upper: 'Full-grain leather|Suede and mesh', Lining: 'Waterproof membrane|Wool|Unlined', Weight: '540 g|680 g' },
  ),
  range(
    'footwear',
    ['trail-shoes', 'Trail Shoes', 'SHO'],
    [69, 179],
    [SHOE, COLOR],
    'Trail Runner|Approach Shoe|Camp Slipper|River Sandal|Walking Shoe',
    'grips wet rock|drains in ten steps|leaves room for toes',
    { Upper: 'Mesh|Suede and mesh|Canvas', Drop: '0 mm|4 mm|8 mm', Weight: '240 g|310 g' },
  ),
  range(
    'home',
    ['blankets', 'Blankets & Bedding', 'BLK'],
    [39, 259],
    [BED, COLOR],
    'Wool Blanket|Linen Duvet Cover|Waffle Throw|Quilted Coverlet|Flannel Sheet Set',
    'is woven slowly and washes well|is heavy enough to notice|keeps its color in the sun',
    { Material: CLOTH, Care: 'Wash at 30 °C|Dry clean', Origin: 'Woven in small batches|Sewn in our own workshop' },
  ),
  range(
    'home',
    ['tableware', 'Kitchen & Table', 'TBL'],
    [9, 79],
    [COLOR],
    'Stoneware Bowl|Serving Board|Enamel Pitcher|Mug Set|Bread Crock',
    'goes from the oven to the table|stacks without chipping|feels right in the hand',
    { Material: 'Stoneware|Enameled steel|Oak', Dishwasher: 'Safe|Hand wash only' },
  ),
  range(
    'home',
    ['lighting', 'Lighting', 'LGT'],
    [19, 189],
    [COLOR],
    'Table Lantern|Oil Lamp|Headlamp|String Lights|Reading Lamp',
    'gives a warm light without glare|runs all night on one charge|folds flat for the drawer',
    { Output: '80 lm|250 lm|400 lm', Battery: 'USB-C rechargeable|3 × AAA|None', 'Color temperature': '2200 K|2700 K' },
  ),
  range(
    'garden',
    ['garden-tools', 'Garden Tools', 'GTL'],
    [14, 99],
    [],
    'Hand Trowel|Bypass Pruner|Digging Fork|Hori Knife|Watering Can',
    'takes an edge and keeps it|has a handle that can be replaced|is balanced for a long afternoon',
    { Blade: 'Carbon steel|Stainless steel', Handle: 'Ash|Beech|Powder-coated steel', Length: '28 cm|34 cm|96 cm' },
  ),
  range(
    'garden',
    ['planters', 'Planters', 'PLT'],
    [16, 129],
    [DIAMETER, COLOR],
    'Clay Planter|Herb Pot|Hanging Basket|Ribbed Planter|Glazed Bowl',
    'drains well and stands frost|has a rim that is easy to lift|weathers to a soft gray',
    { Material: 'Terracotta|Stoneware|Galvanized steel', Drainage: 'Yes|With saucer' },
  ),
  range(
    'garden',
    ['outdoor-furniture', 'Outdoor Furniture', 'FRN'],
    [79, 349],
    [COLOR],
    'Folding Chair|Garden Bench|Bistro Table|Hammock|Deck Lounger',
    'folds flat behind a door|can stay out all summer|comes with spare screws and a key',
    {
      Material: 'Oiled acacia|Powder-coated steel|Cotton canvas',
      'Maximum load': '120 kg|160 kg',
      Assembly: '10 minutes|None',
    },
  ),
];

/** First words of product names. */
export const SERIES = list(
  'Alder|Basalt|Cinder|Drift|Elmwood|Fjord|Gorse|Heron|Inlet|Juniper|Knoll|Larch|Marsh|Northing|Otter|' +
    'Pebble|Quarry|Rowan|Sedge|Thicket|Umber|Vale|Willow|Yarrow',
);

/** Last sentences of product descriptions. */
export const CLOSINGS = list(
  'Repairs are free for the first two years.|Tested by our own staff through one Maine winter.|' +
    'Packed without plastic.|Made in small runs, so colors may vary a little.|Spare parts are in stock.',
);

/** Given and family names combine freely; a few are not ASCII, as in any real customer list. */
export const GIVEN_NAMES = list(
  'Amara|Ben|Carla|Daniel|Elif|Felix|Grace|Hugo|Imani|Jonas|Keiko|Leon|Maya|Noah|Olga|Priya|Quentin|Rosa|Samuel|' +
    'Tessa|Umar|Vera|Wesley|Ximena|Yusuf|Zoë|Anselm|Bridget|Cedric|Dalia|Émile|Freya|Gideon|Hana|Ines|Jürgen',
);
export const FAMILY_NAMES = list(
  'Abbott|Baptiste|Castellan|Dunmore|Eastgate|Fairweather|Grünwald|Halloran|Iverness|Jankowski|Kowalczyk|Lindqvist|' +
    'Marchetti|Núñez|O’Dell|Pemberton|Quist|Rasmussen|Sato|Thornbury|Usman|Vandermeer|Whitlock|Yoshida|Zeller',
);

/** City and the first three digits of its ZIP codes. */
export const CITIES: readonly (readonly [city: string, zipPrefix: string])[] = [
  ['Portland', '041'],
  ['Bangor', '044'],
  ['Augusta', '043'],
  ['Concord', '033'],
  ['Burlington', '054'],
  ['Boston', '021'],
  ['Worcester', '016'],
  ['Providence', '029'],
  ['Hartford', '061'],
  ['Albany', '122'],
];

export const STREETS = list(
  'Harbor Street|Mill Lane|Quarry Road|Orchard Avenue|Pine Hill Road|Lighthouse Way|School Street',
);

/** Examples of order notes. */
export const NOTES = list(
  'Please leave it with the neighbor.|Gift, no prices on the slip.|Call before delivery.|The bell does not work.|' +
    'Ship everything together.|Second floor, green door.',
);
