import { contribute } from '@rxlet/agent-api';
import { containerSteps } from '@rxlet/agent-api/containers';
import { ContainerState } from '@rxlet/cri-api';
import { dynamicResources } from '@rxlet/dra-manager';
import type { Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { isTerminalPhase, PodLabel, podUid } from '@rxlet/pod-model';
import { contributing, type TestCluster, type TestNode } from '@rxlet/testing';
import type { TimedStep } from '../workload/step.ts';
import { CLAIM_DRIVERS, type ClaimKind, type ClaimsStep } from '../workload/part-steps.ts';
import type { Later } from '../world/later.ts';
import { type ClaimController, createClaimController } from './claim-controller.ts';
import { type ClaimDriver, claimsOfCdiDevices, createClaimDriver } from './claim-driver.ts';
import type { PluginSocket } from './plugin-sockets.ts';
import type { PartContext, PartKind, WorldPart } from './world-part.ts';

const KINDS: readonly ClaimKind[] = ['own', 'shared'];

/** Pods with ResourceClaims, and DRA drivers that die, hang, and whose calls fail. */
export const claimsPart: PartKind = {
  name: 'claims',
  steps: 6,
  make: (choose) => ({
    do: 'claims',
    of: choose.pick(KINDS),
    trouble: choose.pick(['dead', 'crashed', 'hanging', 'failing', 'losing']),
    ms: choose.pick([choose.integer(1, 2_000), choose.integer(1_000, 60_000), choose.integer(30_000, 200_000)]),
  }),
  // Pods end while a driver is in trouble, and the agent is away.
  meet(choose, names) {
    const kill: TimedStep = {
      atMs: choose.integer(1, 5_000),
      step: {
        do: 'kill',
        calls: choose.pick([0, choose.integer(1, 40)]),
        isAfterCall: choose.chance(0.5),
        pauseMs: choose.integer(1, 20_000),
        callsOfStart: 0,
      },
    };
    const deletion: TimedStep = {
      atMs: choose.integer(1, 10_000),
      step: { do: 'delete', name: choose.pick(names), graceSeconds: choose.pick([undefined, undefined, 0, 1]) },
    };
    return [kill, deletion].filter(() => choose.chance(0.3));
  },
  extras(choose) {
    const claims = choose.pick<readonly ClaimKind[]>([[], ['own'], ['shared'], KINDS]);
    return claims.length === 0 ? {} : { claims };
  },
  create: createClaims,
};

function createClaims(context: PartContext): WorldPart {
  const { cluster, history } = context;
  const { kube, node } = cluster;
  const plugins = new Map(KINDS.map((kind) => [kind, createClaimPlugin(kind, context)]));
  const pluginOf = (path: string): ClaimPlugin => [...plugins.values()].find(({ socket }) => socket.path === path)!;
  const controller = createClaimController(context);
  const preparedClaims = (): ReadonlySet<string> =>
    new Set([...plugins.values()].flatMap(({ driver }) => [...driver.prepared.keys()]));
  const { handle } = kube;
  kube.handle = async (request) => {
    try {
      return await handle(request);
    } finally {
      if (request.method !== 'GET') controller.reconcile();
    }
  };
  /** Claims of the container that is created next, by pod and name. */
  const given = new Map<string, readonly string[]>();

  return {
    name: 'claims',
    modules: (life) => [
      dynamicResources({ connect: (path) => pluginOf(path).driver.connect(life) }),
      contributing(
        {
          contributions: [
            contribute(containerSteps, {
              name: 'claim-recorder',
              preCreate: (pod, { name }, { CDIDevices }) =>
                void given.set(`${podUid(pod)}/${name}`, claimsOfCdiDevices(CDIDevices.map((device) => device.name))),
              preStart(pod, { name }, id) {
                const claims = given.get(`${podUid(pod)}/${name}`) ?? [];
                if (claims.length > 0 && !life.signal.aborted)
                  history.add({ kind: 'claims-given', uid: podUid(pod), container: id, claims });
              },
            }),
          ],
        },
        'claim-recorder',
      ),
    ],
    run(step, later) {
      if (step.do !== 'claims') return false;
      plugins.get(step.of)!.disturb(step, later);
      return true;
    },
    podsChanged: controller.reconcile,
    powerOff() {
      for (const { driver } of plugins.values()) driver.powerOff();
    },
    end() {
      for (const plugin of plugins.values()) plugin.repair();
    },
    differences: (pods, touched) => [
      ...pods.flatMap((pod) => unpreparedClaims(pod, node, preparedClaims(), controller)),
      ...[...preparedClaims()]
        .filter((claim) => !controller.users(claim).some((uid) => isUnfinished(cluster, uid) || touched.has(uid)))
        .map((claim) => `the claim ${claim} is prepared, and no pod uses it`),
      ...recordedUsers(node)
        .filter(([, uid]) => !isUnfinished(cluster, uid) && !touched.has(uid))
        .map(([claim, uid]) => `the agent records the claim ${claim} for ${uid}, which has ended`),
    ],
  };
}

/** A DRA driver with the socket of its plugin. */
interface ClaimPlugin {
  readonly driver: ClaimDriver;
  readonly socket: PluginSocket;
  /** Brings trouble that ends after a while. */
  disturb(step: ClaimsStep, later: Later): void;
  /** Ends all trouble. */
  repair(): void;
}

function createClaimPlugin(kind: ClaimKind, context: PartContext): ClaimPlugin {
  const name = CLAIM_DRIVERS[kind];
  const driver = createClaimDriver(name, context);
  const socket = context.plugins.add(name, { type: 'DRAPlugin', name, supportedVersions: ['v1.DRAPlugin'] });
  const revive = (): void => {
    if (driver.isAlive) return;
    // A driver replaces a socket that is left.
    socket.close();
    driver.isAlive = true;
    socket.open();
  };
  const goOn = (): void => void (driver.isHanging = false);
  const answer = (): void => void (driver.answers = 'sound');
  return {
    driver,
    socket,
    disturb({ trouble, ms }, later) {
      switch (trouble) {
        case 'dead':
          socket.close();
          driver.isAlive = false;
          later.add(ms, revive);
          break;
        case 'crashed':
          driver.isAlive = false;
          later.add(ms, revive);
          break;
        case 'hanging':
          driver.isHanging = true;
          later.add(ms, goOn);
          break;
        case 'failing':
        case 'losing':
          driver.answers = trouble === 'failing' ? 'failed' : 'lost';
          later.add(ms, answer);
      }
    },
    repair() {
      answer();
      goOn();
      revive();
    },
  };
}

/** Returns the claims of a running pod that are not prepared. */
function unpreparedClaims(
  pod: Pod,
  { fake }: TestNode,
  prepared: ReadonlySet<string>,
  controller: ClaimController,
): readonly string[] {
  const runs = fake
    .snapshot()
    .containers.some(
      ({ labels, state }) => labels[PodLabel.podUid] === podUid(pod) && state === ContainerState.CONTAINER_RUNNING,
    );
  if (!runs) return [];
  return controller
    .claimsOfPod(pod)
    .filter(({ metadata }) => !prepared.has(metadata?.uid ?? ''))
    .map(
      ({ metadata }) =>
        `${pod.metadata?.name ?? ''} ${podUid(pod)} runs, and its claim ${metadata?.uid ?? ''} is not prepared`,
    );
}

/** Returns the claims that the agent records, with the UIDs of their pods. */
function recordedUsers(node: TestNode): readonly (readonly [claim: string, podUid: string])[] {
  const { claims } = node.agent().debugState()['dynamicResources'] as {
    readonly claims: readonly { readonly uid: string; readonly podUids: readonly string[] }[];
  };
  return claims.flatMap(({ uid, podUids }) => podUids.map((one) => [uid, one] as const));
}

/** Reports whether the API has a pod that has not ended. */
function isUnfinished({ kube }: TestCluster, uid: string): boolean {
  return (kube.objects.list(resources.pods) as readonly Pod[]).some(
    (pod) => podUid(pod) === uid && !isTerminalPhase(pod.status?.phase),
  );
}
