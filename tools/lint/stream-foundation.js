/**
 * Streams and aborts have one foundation in `@rxlet/component-base`. This rule rejects subjects of RxJS, whose writing side anyone can reach and whose order
 * of emission changes when a subscriber emits, and listeners that are added to an abort signal by hand.
 */

const SUBJECTS = new Set(['Subject', 'BehaviorSubject', 'ReplaySubject', 'AsyncSubject']);

/** @type {import('eslint').Rule.RuleModule} */
export const streamFoundation = {
  meta: {
    type: 'problem',
    schema: [
      {
        type: 'object',
        properties: { allowsAbortListeners: { type: 'boolean' } },
        additionalProperties: false,
      },
    ],
    messages: {
      subject:
        'Use createEmitter or createCurrentValue of @rxlet/component-base/streams, and in tests also createTestStream of @rxlet/component-base/testing.',
      abort: 'Use onAbort or abortable of @rxlet/component-base.',
    },
  },
  create(context) {
    const [{ allowsAbortListeners = false } = {}] = context.options;
    const subjects = new Set();
    const namespaces = new Set();
    const isSubject = (callee) =>
      callee.type === 'Identifier'
        ? subjects.has(callee.name)
        : callee.type === 'MemberExpression' &&
          namespaces.has(callee.object.name) &&
          SUBJECTS.has(callee.property.name ?? callee.property.value);
    return {
      ImportDeclaration({ source, specifiers }) {
        if (!/^rxjs(\/|$)/.test(source.value)) return;
        for (const { type, imported, local } of specifiers) {
          if (type === 'ImportNamespaceSpecifier') namespaces.add(local.name);
          else if (SUBJECTS.has(imported?.name)) subjects.add(local.name);
        }
      },
      NewExpression(node) {
        if (isSubject(node.callee)) context.report({ node, messageId: 'subject' });
      },
      CallExpression(node) {
        const { callee, arguments: given } = node;
        if (allowsAbortListeners || callee.type !== 'MemberExpression') return;
        if (callee.property.name === 'addEventListener' && given[0]?.value === 'abort')
          context.report({ node, messageId: 'abort' });
      },
    };
  },
};
