/**
 * Keeps comments, messages, identifiers and test names in plain words: a docstring starts with what the thing is or does, a test name with a verb, and software
 * does not speak or know. The lists have only words with a better alternative in every context.
 */

/** First words of a docstring that hide its subject. */
const OPENING = /^(what|who|whoever|told|that which|that of|those|nobody|somebody|how (?:long|many|much|often))\b/i;

/** Word → its replacement. */
const WORDS = [
  [/\b(tells?|told|telling)\b/i, 'report, emit, return or record'],
  [/\b(nobody|somebody|whoever)\b/i, 'name the owner, caller, subscriber or user'],
  [/\b(is|are|was|were) to be\b/i, 'use "must be", or the active voice'],
  [/\b(heed|heeds|heeded|heeding)\b/i, 'follow, respect or ignore'],
  [/\bafresh\b/i, 'again, or from the runtime'],
  [/\bpatience\b/i, 'timeout, deadline or grace period'],
  [/\bunder way\b/i, 'in flight, pending or running'],
  [/\b(turns?|turned) away\b/i, 'reject'],
  [/\bsurroundings\b/i, 'dependencies, ports, environment or context'],
];

/** Part of an identifier → its replacement. Parts are the words of camel case, in lower case. */
const NAME_PARTS = new Map([
  ['afresh', 'again'],
  ['ask', 'request, call, query'],
  ['asked', 'requested, calls'],
  ['asker', 'client, caller or identity'],
  ['asks', 'requests, calls'],
  ['complain', 'report'],
  ['doomed', 'name the pending removal'],
  ['greet', 'connect, probe'],
  ['heed', 'follow, respect'],
  ['hopeless', 'rejected, failing'],
  ['hurry', 'retryNow, expedite'],
  ['impatient', 'aborted, with a short timeout'],
  ['misfits', 'problems, rejected'],
  ['mishaps', 'faults, failures'],
  ['mortal', 'killable'],
  ['owed', 'pending, due'],
  ['patience', 'timeout, deadline'],
  ['sneaky', 'name what it does'],
  ['somebody', 'owner, caller'],
  ['surroundings', 'context, environment, ports'],
  ['whoever', 'owner, caller'],
]);

/** First words that make a test name a fragment. */
const TEST_OPENING = /^(that|of|whose|are|have|what|who)\b/i;
const TEST_FUNCTIONS = new Set(['describe', 'it', 'test']);

/** Returns the name of the function of Vitest that a call runs, also behind `.each(…)` and its kin; `undefined` for other calls. */
function testFunction({ callee }) {
  let node = callee;
  while (node.type === 'MemberExpression' || node.type === 'CallExpression' || node.type === 'TaggedTemplateExpression')
    node = node.type === 'MemberExpression' ? node.object : node.type === 'CallExpression' ? node.callee : node.tag;
  return node.type === 'Identifier' && TEST_FUNCTIONS.has(node.name) ? node.name : undefined;
}

/** Returns the beginning of a literal text; `undefined` for other nodes. */
function leadingText(node) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  return node?.type === 'TemplateLiteral' ? node.quasis[0].value.raw : undefined;
}

/** @type {import('eslint').Rule.RuleModule} */
export const plainProse = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      opening: 'A docstring starts with what the thing is or does, not with "{{word}}".',
      word: 'Plain words: instead of "{{word}}", {{better}}.',
      name: 'Plain words: instead of "{{word}}" in "{{name}}", {{better}}.',
      test: 'A test name is a sentence about behaviour: it does not start with "{{word}}".',
    },
  },
  create(context) {
    const { sourceCode } = context;
    const checkWords = (text, report) => {
      for (const [pattern, better] of WORDS) {
        const [word] = pattern.exec(text) ?? [];
        if (word !== undefined) report({ messageId: 'word', data: { word, better } });
      }
    };
    const checkText = (node, text) => {
      // Identifiers, paths and the like have no spaces.
      if (/\w \w/.test(text)) checkWords(text, (problem) => context.report({ node, ...problem }));
    };
    return {
      Program() {
        for (const comment of sourceCode.getAllComments()) {
          // Code and names are quoted; they are not prose.
          const text = comment.value.replaceAll(/`[^`]*`|\{@link [^}]*\}/g, '');
          if (comment.type === 'Block' && text.startsWith('*')) {
            const [, word] = OPENING.exec(text.replace(/^[*\s]+/, '')) ?? [];
            if (word !== undefined) context.report({ loc: comment.loc, messageId: 'opening', data: { word } });
          }
          checkWords(text, (problem) => context.report({ loc: comment.loc, ...problem }));
        }
      },
      Literal(node) {
        if (typeof node.value === 'string' && node.parent.type !== 'ImportDeclaration') checkText(node, node.value);
      },
      TemplateElement(node) {
        checkText(node, node.value.raw);
      },
      CallExpression(node) {
        const [word] = TEST_OPENING.exec(leadingText(node.arguments[0]) ?? '') ?? [];
        if (word !== undefined && testFunction(node) !== undefined)
          context.report({ node: node.arguments[0], messageId: 'test', data: { word } });
      },
      Identifier(node) {
        for (const part of node.name.split(/(?=[A-Z])|_/)) {
          const word = part.toLowerCase();
          const better = NAME_PARTS.get(word);
          if (better !== undefined)
            context.report({ node, messageId: 'name', data: { word, name: node.name, better } });
        }
      },
    };
  },
};
