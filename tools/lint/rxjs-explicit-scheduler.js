import ts from 'typescript';

/**
 * RxJS uses its own clock without a scheduler. This rule demands one wherever RxJS waits or reads the time, so that all time comes from the injected clock. It
 * decides by types: a scheduler has `schedule` and `now`, and an optional one may be missing.
 */

/** Functions that wait or read the time; they take a scheduler as an argument, or as a property of a configuration. */
const TIMED = new Set([
  'auditTime',
  'bufferTime',
  'debounceTime',
  'delay',
  'interval',
  'sampleTime',
  'throttleTime',
  'timeInterval',
  'timeout',
  'timeoutWith',
  'timer',
  'timestamp',
  'windowTime',
]);

/** Operators that repeat after a `delay`, which must not be a number of real milliseconds. */
const REPEATING = new Set(['repeat', 'retry']);

/** Classes that replay, and read a clock only for a `windowTime`, their second argument. */
const REPLAYING = new Set(['ReplaySubject', 'publishReplay', 'shareReplay']);

const REAL_TIME = /^(async|asap|animationFrame|queue)(Scheduler)?$|^animationFrames$/;

/** @type {import('eslint').Rule.RuleModule} */
export const rxjsExplicitScheduler = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      untimed: "'{{name}}' without a scheduler runs on real time: pass clock.scheduler.",
      delay:
        "'{{name}}' with a number as its delay runs on real time: pass a function that returns timer(ms, clock.scheduler).",
      window: "'{{name}}' with a window of time reads the real clock: pass clock.scheduler too.",
      realTime: "'{{name}}' is real time: take clock.scheduler of the injected clock.",
    },
  },
  create(context) {
    /** Local name → name in RxJS. */
    const imported = new Map();
    const namespaces = new Set();
    const { parserServices } = context.sourceCode;
    const types = parserServices?.program?.getTypeChecker();

    const nameOf = (callee) => {
      if (callee.type === 'Identifier') return imported.get(callee.name);
      const isMember = callee.type === 'MemberExpression' && namespaces.has(callee.object.name);
      return isMember ? callee.property.name : undefined;
    };
    const typeOf = (node) => parserServices.getTypeAtLocation(node);
    const propertyType = (node, name) => {
      const property = typeOf(node).getProperty(name);
      return property && types.getTypeOfSymbolAtLocation(property, parserServices.esTreeNodeToTSNodeMap.get(node));
    };
    const tellsTime = (type) => type?.getProperty('now') !== undefined;
    const isScheduler = (type) => tellsTime(type) && type.getProperty('schedule') !== undefined;
    const mayBeCalled = (type) => type.getCallSignatures().length > 0 || (type.flags & ts.TypeFlags.Undefined) !== 0;

    const hasScheduler = (node) => isScheduler(typeOf(node)) || isScheduler(propertyType(node, 'scheduler'));
    const waitsForNumber = (node) => {
      const delay = node && propertyType(node, 'delay');
      return delay !== undefined && (delay.isUnion() ? delay.types : [delay]).some((type) => !mayBeCalled(type));
    };
    const hasWindow = ([first, second]) => {
      if (second) return second.name !== 'Infinity' && second.name !== 'undefined';
      return first !== undefined && propertyType(first, 'windowTime') !== undefined;
    };

    const problemOf = (name, given) => {
      if (TIMED.has(name)) {
        const timed = name === 'timestamp' ? given.some((node) => tellsTime(typeOf(node))) : given.some(hasScheduler);
        return timed ? undefined : 'untimed';
      }
      if (REPEATING.has(name)) return waitsForNumber(given[0]) ? 'delay' : undefined;
      if (REPLAYING.has(name) && hasWindow(given)) {
        return given.some((node) => hasScheduler(node) || tellsTime(typeOf(node))) ? undefined : 'window';
      }
      return undefined;
    };
    const check = (node) => {
      const name = nameOf(node.callee);
      const messageId = name && problemOf(name, node.arguments);
      if (messageId) context.report({ node, messageId, data: { name } });
    };

    const isRxjs = (source) => /^rxjs(\/|$)/.test(source.value);
    const checkName = (node, name) => {
      if (REAL_TIME.test(name)) context.report({ node, messageId: 'realTime', data: { name } });
    };

    // Without types there is nothing to decide by; RxJS is used in TypeScript only.
    if (!types) return {};
    return {
      ImportDeclaration({ source, specifiers }) {
        if (!isRxjs(source)) return;
        for (const specifier of specifiers) {
          if (specifier.type === 'ImportSpecifier') {
            imported.set(specifier.local.name, specifier.imported.name);
            checkName(specifier, specifier.imported.name);
          } else {
            namespaces.add(specifier.local.name);
          }
        }
      },
      ExportNamedDeclaration({ source, specifiers }) {
        if (source && isRxjs(source)) for (const specifier of specifiers) checkName(specifier, specifier.local.name);
      },
      MemberExpression(node) {
        checkName(node, nameOf(node) ?? '');
      },
      CallExpression: check,
      NewExpression: check,
    };
  },
};
