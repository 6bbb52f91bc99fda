/**
 * Keeps comments, messages and test names in plain words: a docstring starts with what the thing is or does, and software does not speak or know. The list has
 * only words with a better alternative in every context.
 */

/** First words of a docstring that hide its subject. */
const OPENING = /^(what|who|whoever|told|that which|those|nobody|somebody)\b/i;

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
];

/** @type {import('eslint').Rule.RuleModule} */
export const plainProse = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      opening: 'A docstring starts with what the thing is or does, not with "{{word}}".',
      word: 'Plain words: instead of "{{word}}", {{better}}.',
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
    };
  },
};
