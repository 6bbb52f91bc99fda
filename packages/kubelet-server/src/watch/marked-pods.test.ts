import type { PodChange } from '@rxlet/agent-api';
import type { PodSourceProblem } from '@rxlet/agent-api/sources';
import { createCurrentValue, createEmitter } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { markSourceProblems, SOURCE_PROBLEM_ANNOTATION } from './marked-pods.ts';

function setUp(problems: readonly PodSourceProblem[] = []) {
  const pods: Pod[] = ['web', 'db'].map((name) => ({ metadata: { name, uid: name, annotations: { a: 'b' } } }));
  const current = createCurrentValue<readonly PodSourceProblem[]>(problems);
  const changes = createEmitter<PodChange>();
  const marked = markSourceProblems({ list: () => pods, changes$: changes.values$ }, current);
  const seen: string[] = [];
  marked.changes$.subscribe(({ type, pod }) => seen.push(`${type} ${describePod(pod)}`));
  return { pods, current, changes, marked, seen };
}

const describePod = ({ metadata }: Pod): string =>
  `${metadata?.name ?? ''} ${metadata?.annotations?.[SOURCE_PROBLEM_ANNOTATION] ?? '-'}`;
const problem = (message: string, uid?: string, isPodKept = false): PodSourceProblem => ({
  source: 'file',
  path: '/manifests',
  reason: 'InvalidManifest',
  message,
  ...(uid !== undefined && { pod: { name: uid, namespace: 'default', uid } }),
  isPodKept,
});
const broken = problem('web.yaml: not YAML', 'web', true);

describe('markSourceProblems', () => {
  it('marks the pods that run in their last good version, and no others', () => {
    const others = [problem('db.yaml: a warning', 'db'), problem('new.yaml: not YAML')];
    const { marked, pods } = setUp([broken, ...others]);
    expect(marked.list().map(describePod)).toEqual(['web web.yaml: not YAML', 'db -']);
    expect(marked.list()[0]?.metadata?.annotations).toMatchObject({ a: 'b' });
    expect(pods.map(describePod)).toEqual(['web -', 'db -']);
  });

  it('reports a problem that appears, changes or ends as a change of its pod', () => {
    const { current, seen } = setUp();
    current.set([broken]);
    current.set([broken, problem('another file')]);
    current.set([{ ...broken, message: 'web.yaml: no name' }]);
    current.set([]);
    expect(seen).toEqual(['MODIFIED web web.yaml: not YAML', 'MODIFIED web web.yaml: no name', 'MODIFIED web -']);
  });

  it('marks the changes of pods', () => {
    const { changes, pods, seen } = setUp([broken]);
    changes.emit({ type: 'MODIFIED', pod: pods[0]! });
    changes.emit({ type: 'DELETED', pod: pods[1]! });
    expect(seen).toEqual(['MODIFIED web web.yaml: not YAML', 'DELETED db -']);
  });
});
