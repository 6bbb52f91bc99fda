import type { Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { critical, pod, requesting } from '../test-support.ts';
import { chooseVictims, type ResourceNeed } from './choose-victims.ts';

const preemptor = critical('new', {});
const guaranteed = (name: string, cpu: string): Pod => {
  const amounts = { cpu, memory: '1Gi' };
  return pod(name, { containers: [{ name: 'app', image: 'i', resources: { requests: amounts, limits: amounts } }] });
};
const victims = (pods: readonly Pod[], ...needs: readonly ResourceNeed[]): readonly string[] =>
  chooseVictims(preemptor, pods, needs).map(({ metadata }) => metadata?.name ?? '');
const cpu = (amount: bigint): ResourceNeed => ({ resource: 'cpu', amount });

describe('chooseVictims', () => {
  it('prefers the lowest class that frees enough', () => {
    const pods = [guaranteed('g', '2'), requesting('b', { cpu: '2' }), pod('best-effort')];
    expect(victims(pods, cpu(1000n))).toEqual(['b']);
    expect(victims(pods, cpu(3000n))).toEqual(['b', 'g']);
    expect(victims(pods, { resource: 'pods', amount: 1n })).toEqual(['best-effort']);
    expect(victims(pods, cpu(1n), { resource: 'pods', amount: 2n })).toEqual(['best-effort', 'b']);
  });

  it('chooses as few pods as possible, and small ones', () => {
    const pods = [requesting('s', { cpu: '1' }), requesting('l', { cpu: '4' }), requesting('m', { cpu: '3' })];
    expect(victims(pods, cpu(3000n))).toEqual(['m']);
    expect(victims(pods, cpu(3500n))).toEqual(['l']);
    expect(victims(pods, cpu(7500n))).toEqual(['l', 'm', 's']);
  });

  it('spares critical pods and those of a priority that is not lower', () => {
    const pods = [critical('c', { cpu: '1' }), requesting('p', { cpu: '1' })];
    expect(victims(pods, cpu(1000n))).toEqual(['p']);
    const low = requesting('low', { cpu: '1' }, { priority: 2_000_000_000 - 1 });
    expect(chooseVictims({ ...preemptor, spec: { ...preemptor.spec!, priority: 5 } }, [low], [])).toEqual([]);
    expect(() => victims([critical('c', { cpu: '1' })], cpu(1n))).toThrow('no set of running pods');
  });

  it('names what is missing when all pods together do not free enough', () => {
    const pods = [requesting('a', { cpu: '1', memory: '1Gi' })];
    expect(() =>
      victims(pods, cpu(1500n), { resource: 'memory', amount: 5n }, { resource: 'x/y', amount: 2n }),
    ).toThrow('no set of running pods found to reclaim resources: [(res: cpu, q: 500), (res: x/y, q: 2), ]');
  });

  it('counts pod-level resources instead of those of containers, and overhead', () => {
    const level = requesting(
      'a',
      { cpu: '4', memory: '1Gi' },
      { resources: { requests: { cpu: '1' } }, overhead: { cpu: '1' } },
    );
    expect(victims([level], cpu(2000n))).toEqual(['a']);
    expect(() => victims([level], cpu(2001n))).toThrow('q: 1)');
    expect(() => victims([level], { resource: 'memory', amount: 1n })).toThrow('res: memory');
  });
});
