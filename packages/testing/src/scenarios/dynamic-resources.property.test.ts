import { createKeyedExecutor, sleep } from '@rxlet/component-base';
import { ContainerState } from '@rxlet/cri-api';
import { createTestDraPlugin } from '@rxlet/dra-manager/testing';
import { PodLabel } from '@rxlet/pod-model';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createDraCluster } from '../test-support/dra-cluster.ts';

const CLAIMS: Readonly<Record<string, readonly string[]>> = { a: ['one'], b: ['two'], c: ['one', 'two'], d: ['one'] };
const PODS: Readonly<Record<string, readonly string[]>> = {
  p0: ['a'],
  p1: ['a', 'b'],
  p2: ['c', 'd'],
  p3: ['b', 'c'],
  p4: [],
};

const steps = fc.array(
  fc.record({
    desired: fc.subarray(Object.keys(PODS)),
    /** Drivers that fail during the step. */
    failing: fc.subarray(['one', 'two']),
    callMs: fc.constantFrom(0, 10, 3_000),
    /** Calls of ports until the agent is killed; without it, it lives on. */
    killAfter: fc.option(fc.integer({ min: 1, max: 120 }), { nil: undefined }),
    /** Pods that are deleted before the next agent starts. */
    deletedMeanwhile: fc.subarray(Object.keys(PODS)),
    waitMs: fc.integer({ min: 0, max: 30_000 }),
  }),
  { minLength: 2, maxLength: 6 },
);

/** Claims of drivers as `<driver>/<claim>`. */
const claimsOf = (podName: string): readonly string[] =>
  PODS[podName]!.flatMap((claim) => CLAIMS[claim]!.map((driver) => `${driver}/${claim}`));

it(
  'claims are prepared while a container uses them, and only for pods that exist, whenever the agent is killed',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        let { failing, callMs } = sequence[0]!;
        /** A driver handles the calls for a claim one after another, those of an agent that was killed as well. */
        const turns = createKeyedExecutor();
        const prepared = new Set<string>();
        const pluginOf = (driver: string) => {
          const change = (name: string, apply: (key: string) => void): Promise<void> =>
            turns.run(`${driver}/${name}`, async () => {
              await sleep(cluster.node.clock, callMs);
              apply(`${driver}/${name}`);
            });
          const plugin = createTestDraPlugin({
            driver,
            async prepare({ name }) {
              await change(name, (key) => void prepared.add(key));
              return [{ poolName: 'p', deviceName: name, requestNames: [], cdiDeviceIds: [`${driver}/${name}`] }];
            },
            unprepare: ({ name }) => change(name, (key) => void prepared.delete(key)),
          });
          plugin.fault = () => (failing.includes(driver) ? 'out of order' : undefined);
          return plugin;
        };
        await using cluster = createDraCluster(pluginOf('one'), pluginOf('two'));
        for (const [name, drivers] of Object.entries(CLAIMS)) cluster.createClaim(name, drivers);

        const check = (): void => {
          for (const { labels, state } of cluster.node.fake.snapshot().containers) {
            if (state !== ContainerState.CONTAINER_RUNNING) continue;
            for (const claim of claimsOf(labels[PodLabel.podName]!)) expect([...prepared]).toContain(claim);
          }
          const used = Object.keys(PODS)
            .filter((name) => cluster.pod(name) !== undefined)
            .flatMap(claimsOf);
          for (const claim of prepared) expect(used).toContain(claim);
        };
        const passing = async (ms: number): Promise<void> => {
          for (let passedMs = 0; passedMs < ms; passedMs += 500) {
            await cluster.advance(500);
            check();
          }
        };

        await cluster.start();
        await cluster.advance(3_000);
        for (const step of sequence) {
          ({ failing, callMs } = step);
          for (const [name, claims] of Object.entries(PODS)) {
            const isDesired = step.desired.includes(name);
            const exists = cluster.pod(name) !== undefined;
            if (isDesired && !exists) cluster.bindWith(name, claims);
            if (!isDesired && exists) cluster.delete(name);
          }
          if (step.killAfter !== undefined) {
            await cluster.killAtCall(step.killAfter, step.waitMs + 1);
            check();
            for (const name of step.deletedMeanwhile) if (cluster.pod(name) !== undefined) cluster.delete(name);
            await cluster.start();
          }
          await passing(step.waitMs);
        }
        failing = [];
        await passing(60_000);
        for (const name of Object.keys(PODS)) {
          // What is desired runs in the end.
          const isRunning = cluster.running().includes(`${name}/app`);
          const pod = cluster.pod(name);
          if (pod !== undefined && pod.metadata?.deletionTimestamp === undefined) expect(isRunning).toBe(true);
          if (pod !== undefined) cluster.delete(name);
        }
        await passing(60_000);
        expect(Object.keys(PODS).filter((name) => cluster.pod(name) !== undefined)).toEqual([]);
        expect([...prepared]).toEqual([]);
        const state = JSON.parse(cluster.node.files.text('/root/dra_manager_state')!) as { readonly Data: string };
        expect(JSON.parse(state.Data)).toMatchObject({ ClaimInfoStateList: [] });
      }),
      { numRuns: 15 },
    );
  },
);
