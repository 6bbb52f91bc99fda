import { contribute } from '@rxlet/agent-api';
import { supportedPodFields } from '@rxlet/agent-api/pod-fields';
import { seededRandom } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { createTestMachine } from '@rxlet/machine/testing';
import { nodeAdmission } from '@rxlet/node-admission';
import { decodeManifest } from '@rxlet/pod-source';
import { mutatedPod } from '@rxlet/pod-source/testing';
import { expect, it } from 'vitest';
import { contributing } from '../test-modules.ts';
import { createTestNode, type TestNode } from '../test-node.ts';

/** Number of seeds. One in four gives a valid pod. */
const SEEDS = Number(process.env['RXLET_FUZZ_PODS'] ?? 200);
/** The pods are allowed no other directories than those of the agent, and those of the host in their spec. */
const ALLOWED = /^\/(?:root|logs|etc|sys|var\/log)(?:\/|$)/;

/** Returns a mutated pod that passes the validation; `undefined` when this one does not. */
async function validPod(seed: number): Promise<Pod | undefined> {
  const manifest = mutatedPod(seededRandom(seed));
  const decoded = await decodeManifest(manifest, { nodeName: 'node1', origin: { file: '/m/a.yaml' } }).catch(
    () => undefined,
  );
  return decoded?.pod;
}

/** Starts a node that has all that the pods ask for, so that every module sees them. */
async function startNode(seed: number): Promise<TestNode> {
  const node = createTestNode({ seed });
  node.files.putDirectory('/var/log');
  node.files.put('/sys/kernel/security/apparmor/profiles', '');
  node.files.put('/sys/module/apparmor/parameters/enabled', 'Y');
  node.fake.setScript(
    { container: 'side' },
    { ports: [{ port: 8080, protocol: 'http', responses: [{ status: 200 }] }] },
  );
  const machine = createTestMachine();
  const admission = nodeAdmission({
    nodeLabels: { disk: 'ssd', cores: '8' },
    allowedUnsafeSysctls: ['net.*'],
    machine,
  });
  await node.start({ modules: [admission, contributing({ contributions: [contribute(supportedPodFields, 'spec')] })] });
  return node;
}

it(
  'a valid pod, however strange, runs or says why not, stays in its place, and leaves nothing behind',
  { timeout: 600_000 },
  async () => {
    const phases = new Map<string, number>();
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const pod = await validPod(seed);
      if (pod === undefined) continue;
      await using node = await startNode(seed);
      node.desire(pod);
      await node.advance(30_000);
      const phase = node.agent().pods.list()[0]?.status?.phase ?? 'none';
      phases.set(phase, (phases.get(phase) ?? 0) + 1);
      const paths = node.files.paths().filter((path) => !ALLOWED.test(path));
      node.desire();
      await node.advance(700_000);
      const left = node.files.paths().filter((path) => path.startsWith('/root/pods/'));
      const errors = node.logger.lines.filter(({ level }) => level === 'error');
      const outcome = { paths, left, errors, running: node.running() };
      expect(outcome, `seed ${String(seed)}`).toEqual({ paths: [], left: [], errors: [], running: [] });
      await node.expectNoLeaks();
    }
    expect(phases.get('Running')).toBeGreaterThan(0);
    expect(phases.has('none')).toBe(false);
  },
);
