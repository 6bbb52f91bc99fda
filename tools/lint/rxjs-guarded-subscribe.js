/**
 * An exception of a bare subscriber, or a failure of a stream without an error handler, is thrown outside of any call and ends the process. This rule
 * demands `follow` of `@rxlet/component-base/streams`, or an observer with an error handler that guards its own code. It also forbids `map` with a
 * callback that returns nothing: side effects belong into the subscriber. It decides by types: an observable has `subscribe` and `pipe`.
 */

/** @type {import('eslint').Rule.RuleModule} */
export const rxjsGuardedSubscribe = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      bare: 'A bare subscribe() ends the process when the subscriber throws or the stream fails: use follow() of @rxlet/component-base/streams.',
      effect: "A 'map' that returns nothing is a side effect: move it into the subscriber.",
    },
  },
  create(context) {
    const { parserServices } = context.sourceCode;
    const types = parserServices?.program?.getTypeChecker();
    // Without types there is nothing to decide by; RxJS is used in TypeScript only.
    if (!types) return {};
    const mapNames = new Set();

    const isObservable = (node) => {
      const type = types.getNonNullableType(parserServices.getTypeAtLocation(node));
      return type.getProperty('pipe') !== undefined && type.getProperty('subscribe') !== undefined;
    };
    const handlesErrors = ([observer]) =>
      observer !== undefined && parserServices.getTypeAtLocation(observer).getProperty('error') !== undefined;
    const returnsNothing = (node) => {
      const [signature] = parserServices.getTypeAtLocation(node).getCallSignatures();
      return signature !== undefined && /^(void|undefined)$/.test(types.typeToString(signature.getReturnType()));
    };

    return {
      ImportDeclaration({ source, specifiers }) {
        if (!/^rxjs(\/|$)/.test(source.value)) return;
        for (const specifier of specifiers) {
          if (specifier.imported?.name === 'map') mapNames.add(specifier.local.name);
        }
      },
      CallExpression(node) {
        const { callee, arguments: given } = node;
        if (callee.type === 'Identifier') {
          if (mapNames.has(callee.name) && given.length > 0 && returnsNothing(given[0])) {
            context.report({ node, messageId: 'effect' });
          }
        } else if (callee.type === 'MemberExpression' && callee.property.name === 'subscribe') {
          if (isObservable(callee.object) && !handlesErrors(given)) context.report({ node, messageId: 'bare' });
        }
      },
    };
  },
};
