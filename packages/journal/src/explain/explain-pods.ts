import type { AgentCore } from '@rxlet/agent-api';
import type { Clock } from '@rxlet/component-base';
import type { JournalStore } from '../store/journal-store.ts';
import type { Life } from '../model/life.ts';
import { explainLife } from './explain-life.ts';
import type { Explanation } from './explanation.ts';
import type { HelpContext } from './help.ts';

/** Ports of {@link createExplainer}. */
export interface ExplainerPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly store: Pick<JournalStore, 'lives' | 'find'>;
  readonly podStatus: AgentCore['podStatus'];
  readonly settings: HelpContext;
}

/** Explains pods of the node. */
export interface Explainer {
  /** Returns the explanation of the latest pod of that name; `undefined` for an unknown pod. */
  explain(namespace: string, name: string): Explanation | undefined;
  explainLife(life: Life): Explanation;
  /** Returns the explanations of all pods on the node, ordered by namespace and name. */
  explainAll(): readonly Explanation[];
}

/** Creates an {@link Explainer}. */
export function createExplainer({ clock, store, podStatus, settings }: ExplainerPorts): Explainer {
  const explain = (life: Life): Explanation =>
    explainLife(life, { ...settings, nowMs: clock.now(), status: podStatus(life.uid) });
  return {
    explain(namespace, name) {
      const life = store.find(namespace, name);
      return life && explain(life);
    },
    explainLife: explain,
    explainAll: () =>
      store
        .lives()
        .filter(({ endMs }) => endMs === undefined)
        .toSorted((left, right) => compareText(left.namespace, right.namespace) || compareText(left.name, right.name))
        .map(explain),
  };
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
