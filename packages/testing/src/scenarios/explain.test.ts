import { create } from '@bufbuild/protobuf';
import { StatusResponseSchema } from '@rxlet/cri-api';
import { FACTS, PHASES, WAITS } from '@rxlet/agent-api/journal';
import type { Explanation, NodeExplanation } from '@rxlet/journal';
import { resources } from '@rxlet/kube-api/resources';
import { manifestPod } from '@rxlet/pod-model/testing';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestCluster } from '../test-cluster.ts';
import { getEndpoint } from '../test-support/journal-of.ts';
import { createTestNode, type TestNode } from '../test-node.ts';

async function startNode(prepare: (node: TestNode) => void = () => undefined): Promise<TestNode> {
  const node = createTestNode();
  onTestFinished(() => node[Symbol.asyncDispose]());
  prepare(node);
  await node.start();
  return node;
}

const explain = async (node: TestNode, name: string): Promise<Explanation> =>
  (await getEndpoint(node.agent(), 'explain', 'default', name)) as Explanation;

describe('explain', () => {
  it('names an API server that does not answer as a problem of the node, and no longer once it does', async () => {
    await using cluster = createTestCluster();
    await cluster.start();
    cluster.bind('web', { containers: [{ name: 'app', image: 'app:1' }] });
    await cluster.until(() => cluster.running().length === 1);
    const explainNode = async (): Promise<NodeExplanation> => {
      const { node } = (await getEndpoint(cluster.node.agent(), 'explain')) as { readonly node: NodeExplanation };
      return node;
    };
    expect((await explainNode()).problems).toEqual([]);
    cluster.kube.stop();
    await cluster.advance(30_000);
    expect(await explainNode()).toMatchObject({
      sentence: 'the node has problems: api-server',
      problems: [{ part: 'api-server', message: expect.stringContaining('connection refused') as string }],
    });
    cluster.kube.start();
    await cluster.advance(120_000);
    expect((await explainNode()).problems).toEqual([]);
  });

  it('says that a pod runs as desired', async () => {
    const node = await startNode();
    node.desire(manifestPod('web'));
    await node.untilPhase('web', 'Running');
    await node.advance(5_000);
    expect(await explain(node, 'web')).toMatchObject({
      state: 'ok',
      sentence: 'runs; its container is ready',
      waitsFor: [],
      help: [],
    });
  });

  it('names the image that cannot be pulled, the error of the registry with its code, and the next try', async () => {
    const node = await startNode(({ fake }) => fake.setFailpoint('pullImage', 'error(not_found: no such image)'));
    node.desire(manifestPod('web'));
    await node.advance(15_000);
    const { state, sentence, lastError, nextTryAtMs, help, waitsFor } = await explain(node, 'web');
    expect(state).toBe('failing');
    expect(sentence).toMatch(/^could not pull image "registry\.example\/app:1" for container "app"; next try in \d+s/);
    expect(lastError).toMatchObject({ reason: 'ErrImagePull', code: 'NotFound', container: 'app' });
    expect(lastError?.message).toContain('no such image');
    expect(nextTryAtMs).toBeGreaterThan(node.clock.now());
    expect(help[0]).toContain('imagePullSecrets');
    expect(waitsFor[0]?.kind).toBe('image.backoff');
  });

  it('names the place of an image in the queue of pulls, and the setting that serializes them', async () => {
    const node = await startNode(({ fake }) => fake.setFailpoint('pullImage', 'hang'));
    const names = ['one', 'two', 'three'];
    node.desire(
      ...names.map((name) => manifestPod(name, { containers: [{ name: 'app', image: `registry.example/${name}:1` }] })),
    );
    await node.advance(5_000);
    expect((await explain(node, 'one')).sentence).toMatch(
      /^pulls image "registry\.example\/one:1" for container "app"/,
    );
    const { sentence, help } = await explain(node, 'three');
    expect(sentence).toBe(
      'waits to pull image "registry.example/three:1" for container "app": it is number 2 in the queue, ' +
        'behind registry.example/one:1, registry.example/two:1, for 5s',
    );
    expect(help).toEqual(['serializeImagePulls is true: one image is pulled at a time; set it to false']);
  });

  it('names the container that keeps exiting, its exit code and its restart', async () => {
    const node = await startNode();
    node.desire(manifestPod('web', { command: ['sh', '-c', 'exit 3'] }));
    await node.advance(25_000);
    const { state, sentence, lastError, help } = await explain(node, 'web');
    expect(state).toBe('failing');
    expect(sentence).toMatch(/^restarts container "app", which keeps exiting, after a back-off of 20s; next try in /);
    expect(lastError?.message).toMatch(/^container "app" exited with code 3/);
    expect(help).toContain('restart it now: rxlet restart POD -c app');
  });

  it('names the volume that cannot be mounted', async () => {
    const node = await startNode();
    const volumes = [{ name: 'data', hostPath: { path: '/missing', type: 'Directory' as const } }];
    node.desire(manifestPod('web', { volumes, containers: [mounting('data')] }));
    await node.advance(10_000);
    const { state, sentence, lastError } = await explain(node, 'web');
    expect({ state, sentence }).toMatchObject({
      state: 'failing',
      sentence: expect.stringMatching(/^could not mount volume "data"; next try in /) as string,
    });
    expect(lastError).toMatchObject({ reason: 'FailedMount' });
  });

  it('names the runtime whose network is not ready', async () => {
    const node = await startNode(({ fake }) => {
      const conditions = [
        { type: 'RuntimeReady', status: true },
        { type: 'NetworkReady', status: false },
      ];
      fake.runtime.status = () => Promise.resolve(create(StatusResponseSchema, { status: { conditions } }));
    });
    node.desire(manifestPod('web'));
    await node.advance(10_000);
    const { sentence, waitsFor } = await explain(node, 'web');
    expect(sentence).toMatch(/^waits for the network of the container runtime: /);
    expect(waitsFor.map(({ kind }) => kind)).toEqual(['node.network']);
    expect(await getEndpoint(node.agent(), 'explain')).toMatchObject({
      node: { node: 'node1', problems: [{ part: 'runtime' }] },
      podCount: 1,
      pods: [{ state: 'waiting' }],
    });
  });

  it('names the readiness gate that no controller has set', async () => {
    const node = await startNode();
    node.desire(manifestPod('web', { readinessGates: [{ conditionType: 'lb/ready' }] }));
    await node.advance(10_000);
    const { sentence, state, help } = await explain(node, 'web');
    expect({ sentence, state }).toEqual({
      sentence: expect.stringMatching(/^runs, but its readiness gate "lb\/ready" is not true, for \d/) as string,
      state: 'waiting',
    });
    expect(help).toEqual(['a controller must set condition "lb/ready" in the status of the pod']);
  });

  it('names the earlier pod of the same name that has to end first', async () => {
    const node = await startNode();
    const stubborn = { command: ['sh', '-c', 'trap "" TERM; sleep 1000'], terminationGracePeriodSeconds: 60 };
    node.desire(manifestPod('web', stubborn, 1));
    await node.untilPhase('web', 'Running');
    node.desire(manifestPod('web', stubborn, 2));
    await node.advance(10_000);
    const { sentence, waitsFor } = await explain(node, 'web');
    expect(waitsFor.map(({ kind }) => kind)).toEqual(['pod.predecessor']);
    expect(sentence).toMatch(/^waits for the end of an earlier pod with the same name, for \d/);
  });

  it('names the finalizer that keeps the object of an ended pod', async () => {
    await using cluster = createTestCluster();
    await cluster.start();
    cluster.bind('web', {}, { finalizers: ['example.test/hold'] });
    await cluster.untilPhase('web', 'Running');
    cluster.kube.objects.delete(resources.pods, 'web', 'default');
    await cluster.advance(30_000);
    const found = (await getEndpoint(cluster.node.agent(), 'explain', 'default', 'web')) as Explanation;
    expect(found).toMatchObject({
      state: 'terminating',
      sentence: 'has ended; waits for the API server to delete its object',
      waitsFor: [{ kind: 'pod.delete' }],
    });
    expect(found.help[0]).toContain('metadata.finalizers');
  });

  it('shows what a terminating pod waits for, and afterwards that it is gone', async () => {
    const node = await startNode();
    node.desire(manifestPod('web', { command: ['sh', '-c', 'trap "" TERM; sleep 1000'] }));
    await node.untilPhase('web', 'Running');
    node.fake.setFailpoint('stopContainer', 'hang');
    node.desire();
    await node.advance(3_000);
    const stopping = await explain(node, 'web');
    expect(stopping).toMatchObject({ state: 'terminating', waitsFor: [{ kind: 'container.stop', container: 'app' }] });
    expect(stopping.sentence).toMatch(/^ends \(it was deleted\): it waits for container "app" to stop, for at most /);
    node.fake.clearFailpoints();
    await node.until(() => node.agent().pods.list().length === 0);
    await node.advance(5_000);
    const gone = await explain(node, 'web');
    expect(gone).toMatchObject({ state: 'ended', sentence: 'is gone from the node (it was deleted)' });
  });

  it('says nothing of probes and back-offs once a pod terminates', async () => {
    const node = await startNode();
    const app = { name: 'app', image: 'registry.example/app:1', command: ['sh', '-c', 'trap "" TERM; sleep 1000'] };
    node.desire(manifestPod('web', { containers: [{ ...app, readinessProbe: { exec: { command: ['false'] } } }] }));
    await node.advance(10_000);
    node.desire();
    await node.advance(3_000);
    expect((await explain(node, 'web')).waitsFor.map(({ kind }) => kind)).toEqual(['container.stop']);
  });

  it('names the rejection of a pod that the node cannot admit', async () => {
    const node = await startNode();
    const resources = { requests: { cpu: '1000' } };
    node.desire(manifestPod('web', { containers: [{ name: 'app', image: 'registry.example/app:1', resources }] }));
    await node.advance(5_000);
    const { state, sentence } = await explain(node, 'web');
    expect({ state, sentence }).toMatchObject({
      state: 'failing',
      sentence: expect.stringMatching(/^was rejected by the node: UnexpectedAdmissionError: .*cpu/) as string,
    });
  });

  it('names the init container and the probes that a pod waits for', async () => {
    const node = await startNode();
    const init = { name: 'init', image: 'registry.example/init:1', command: ['sleep', '1000'] };
    node.desire(manifestPod('web', { initContainers: [init] }));
    await node.advance(10_000);
    expect((await explain(node, 'web')).sentence).toMatch(/^waits for init container "init" to complete, for \d/);
    const app = { name: 'app', image: 'registry.example/app:1', command: ['sleep', '1000'] };
    const exec = { command: ['false'] };
    node.desire(manifestPod('slow', { containers: [{ ...app, startupProbe: { exec, failureThreshold: 100 } }] }));
    await node.advance(10_000);
    expect((await explain(node, 'slow')).waitsFor.map(({ kind }) => kind)).toEqual(['container.startup']);
    node.desire(manifestPod('unready', { containers: [{ ...app, readinessProbe: { exec } }] }));
    await node.advance(30_000);
    const unready = await explain(node, 'unready');
    expect(unready.waitsFor.map(({ kind }) => kind)).toEqual(['container.readiness']);
    expect(unready.sentence).toMatch(/^runs, but container "app" is not ready: /);
  });
});

function mounting(name: string) {
  return { name: 'app', image: 'registry.example/app:1', volumeMounts: [{ name, mountPath: '/data' }] };
}

it('each kind of the journal is reported by some part of the agent', () => {
  const packages = join(import.meta.dirname, '../../..');
  const isReporter = (path: string): boolean =>
    !path.endsWith('.test.ts') && !/^(?:journal\/src\/explain|node-ui|tracing|agent-api\/src\/journal)\//.test(path);
  const sources = globSync('*/src/**/*.ts', { cwd: packages }).filter(isReporter);
  const text = sources.map((path) => readFileSync(join(packages, path), 'utf8')).join('\n');
  const unreported = [...PHASES, ...WAITS, ...FACTS].filter((kind) => !text.includes(`'${kind}'`));
  expect(unreported).toEqual([]);
  // The test has seen the parts, and would find a kind that none of them has.
  expect(sources.length).toBeGreaterThan(500);
  expect(text).not.toContain("'container.imaginary'");
});
