import { type Clock, onAbort } from '@rxlet/component-base';
import { parseGoDuration } from '@rxlet/component-base/go';
import type { Pod } from '@rxlet/kube-api';
import { UsageError } from '../config/config-error.ts';
import { parseJsonPath, printedValue } from '../output/json-path.ts';
import type { Target } from '../resources/kinds.ts';
import { pods } from '../resources/pods.ts';
import { type AgentConnection, AgentConnectionError } from './agent-connection.ts';
import { selectPod } from './find-pod.ts';
import { selectionTest } from './select-objects.ts';
import type { Terminal } from './terminal.ts';
import { watchList } from './watch-list.ts';

/** Options of {@link waitForPods}. */
export interface WaitOptions {
  readonly targets: readonly Target[];
  readonly namespace: string;
  readonly selector?: string | undefined;
  /** `condition=Ready`, `delete`, `jsonpath='{.status.phase}'=Running`. */
  readonly goal: string;
  /** Go duration; 0: looks once; negative: a week. */
  readonly timeout: string;
}

/** Goal of a wait: a test of a pod, or its end. */
type Goal = { readonly kind: 'delete' } | { readonly kind: 'test'; readonly isMet: (pod: Pod) => boolean };

const WEEK_MS = 7 * 24 * 3_600_000;

/**
 * Runs `rxlet wait`, as `kubectl wait` does it.
 * @throws AgentConnectionError when there are no such pods, or the time is over
 * @throws UsageError for another goal or kind
 */
export async function waitForPods(
  agent: AgentConnection,
  terminal: Terminal,
  clock: Clock,
  { targets, namespace, selector, goal: text, timeout }: WaitOptions,
): Promise<void> {
  if (targets.some(({ kind }) => kind.kind !== 'Pod')) throw new UsageError('only pods can be waited for');
  const goal = parseGoal(text);
  const timeoutMs = parseGoDuration(timeout);
  if (timeoutMs === undefined) throw new UsageError(`invalid --timeout "${timeout}": expected a duration like 60s`);
  const ended = new AbortController();
  using _interruption = onAbort(terminal.signal, () => ended.abort());
  // The first look always happens.
  using _timer = timeoutMs === 0 ? undefined : clock.setTimer(timeoutMs < 0 ? WEEK_MS : timeoutMs, () => ended.abort());
  const names = targets.flatMap((target) => target.names);
  const known = new Map<string, Pod>();
  let waiting: Set<string> | undefined;
  const update = (uid: string): void => {
    const pod = known.get(uid);
    const isMet = goal.kind === 'delete' ? pod === undefined : pod !== undefined && goal.isMet(pod);
    if (!isMet || waiting?.delete(uid) !== true) return;
    terminal.print(`pod/${titles.get(uid) ?? ''} ${goal.kind === 'delete' ? 'deleted' : 'condition met'}`);
  };
  const titles = new Map<string, string>();
  for await (const changes of watchList<Pod>(agent, '/pods', ended.signal)) {
    for (const { type, object } of changes) {
      const uid = object.metadata?.uid ?? '';
      titles.set(uid, object.metadata?.name ?? '');
      if (type === 'DELETED') known.delete(uid);
      else known.set(uid, object);
    }
    if (waiting === undefined) {
      const chosen = choose([...known.values()], names, namespace, selector, goal);
      waiting = new Set(chosen.map(({ metadata }) => metadata?.uid ?? ''));
      [...waiting].forEach(update);
    } else changes.forEach(({ object }) => update(object.metadata?.uid ?? ''));
    if (waiting.size === 0) return;
    if (timeoutMs === 0) break;
  }
  if (terminal.signal.aborted) return;
  const left = [...(waiting ?? [])].map((uid) => `pod/${titles.get(uid) ?? ''}`).join(', ');
  throw new AgentConnectionError(`timed out waiting for the condition on ${left || 'pods'}`);
}

function choose(
  all: readonly Pod[],
  names: readonly string[],
  namespace: string,
  selector: string | undefined,
  goal: Goal,
): readonly Pod[] {
  const chosen =
    names.length > 0 ? names.flatMap(byTypedName) : all.filter(selectionTest(pods, { namespace, selector }));
  if (chosen.length === 0 && goal.kind !== 'delete') throw new AgentConnectionError('no matching pods found');
  return chosen;

  function byTypedName(name: string): Pod[] {
    try {
      return [selectPod(all, name, namespace)];
    } catch (error) {
      // What is gone need not be waited for.
      if (goal.kind === 'delete') return [];
      throw error;
    }
  }
}

function parseGoal(text: string): Goal {
  if (text === 'delete') return { kind: 'delete' };
  const condition = /^condition=([^=]+)(?:=(.*))?$/.exec(text);
  if (condition !== null) {
    const [, type = '', wanted = 'True'] = condition;
    const isMet = ({ status }: Pod): boolean =>
      status?.conditions?.some((each) => sameText(each.type, type) && sameText(each.status, wanted)) === true;
    return { kind: 'test', isMet };
  }
  const [, template, value] = /^jsonpath=(\{.*\})(?:=(.*))?$/s.exec(text) ?? [];
  if (template === undefined)
    throw new UsageError(`unrecognized condition "${text}": expected condition=NAME, delete or jsonpath={.path}=VALUE`);
  const path = parseJsonPath(template);
  const isMet = (pod: Pod): boolean => {
    const found = path.find(pod);
    return value === undefined ? found.length > 0 : found.some((each) => printedValue(each) === value);
  };
  return { kind: 'test', isMet };
}

function sameText(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}
