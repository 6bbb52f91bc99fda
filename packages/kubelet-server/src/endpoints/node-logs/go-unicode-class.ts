const CATEGORIES: ReadonlySet<string> = new Set(
  'C Cc Cf Cn Co Cs L Lc Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs'.split(
    ' ',
  ),
);

/** Long names of the categories, without underscores, and the three that Go adds. */
const LONG_NAMES: ReadonlySet<string> = new Set(
  [
    'Any Ascii Assigned Casedletter Closepunctuation Combiningmark Connectorpunctuation Control Currencysymbol',
    'Dashpunctuation Decimalnumber Enclosingmark Finalpunctuation Format Initialpunctuation Letter Letternumber',
    'Lineseparator Lowercaseletter Mark Mathsymbol Modifierletter Modifiersymbol Nonspacingmark Number',
    'Openpunctuation Other Otherletter Othernumber Otherpunctuation Othersymbol Paragraphseparator Privateuse',
    'Punctuation Separator Spaceseparator Spacingmark Surrogate Symbol Titlecaseletter Unassigned Uppercaseletter',
    'Cntrl Digit Punct',
  ].flatMap((line) => line.split(' ')),
);

/** Scripts of four letters. JavaScript has a code of four letters for every other script too, which Go has not. */
const SCRIPTS_OF_FOUR: ReadonlySet<string> = new Set([
  'Ahom',
  'Cham',
  'Kawi',
  'Lisu',
  'Miao',
  'Modi',
  'Newa',
  'Thai',
  'Toto',
]);

/**
 * Reports whether Go's regular expressions have a class `\p{name}`. Case, underscores, hyphens and blanks do not matter, and a script whose name has an underscore cannot be
 * named.
 */
export function isUnicodeClass(name: string): boolean {
  const letters = name.replace(/[_\- ]/g, '');
  const canonical = letters.slice(0, 1).toUpperCase() + letters.slice(1).toLowerCase();
  return CATEGORIES.has(canonical) || LONG_NAMES.has(canonical) || isScript(canonical);
}

function isScript(name: string): boolean {
  if (!/^[A-Z][a-z]+$/.test(name) || (name.length === 4 && !SCRIPTS_OF_FOUR.has(name))) return false;
  try {
    return new RegExp(String.raw`\p{Script=${name}}`, 'u').unicode;
  } catch {
    return false;
  }
}
