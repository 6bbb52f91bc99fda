import { contribute } from '@rxlet/agent-api';
import { containerSteps } from '@rxlet/agent-api/containers';
import { ContainerState } from '@rxlet/cri-api';
import { dynamicResources } from '@rxlet/dra-manager';
import type { Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { isTerminalPhase, PodLabel, podUid } from '@rxlet/pod-model';
import { contributing, type TestCluster, type TestNode } from '@rxlet/testing';
import type { TimedStep } from '../workload/step.ts';
import { CLAIM_DRIVER, type ClaimController, createClaimController } from './claim-controller.ts';
import { type ClaimDriver, claimsOfCdiDevices, createClaimDriver } from './claim-driver.ts';
import type { PartContext, PartKind, WorldPart } from './world-part.ts';

const PLUGIN = { type: 'DRAPlugin', name: CLAIM_DRIVER, supportedVersions: ['v1.DRAPlugin'] };

/** Pods with ResourceClaims, and a DRA driver that dies, hangs, and whose calls fail. */
export const claimsPart: PartKind = {
  name: 'claims',
  steps: 6,
  make: (choose) => ({
    do: 'claims',
    trouble: choose.pick(['dead', 'crashed', 'hanging', 'failing', 'losing']),
    ms: choose.pick([choose.integer(1, 2_000), choose.integer(1_000, 60_000), choose.integer(30_000, 200_000)]),
  }),
  // Pods end while the driver is in trouble, and the agent is away.
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
    const claim = choose.pick([undefined, 'own', 'shared'] as const);
    return claim === undefined ? {} : { claim };
  },
  create: createClaims,
};

function createClaims(context: PartContext): WorldPart {
  const { cluster, history, plugins } = context;
  const { kube, node } = cluster;
  const driver = createClaimDriver(context);
  const socket = plugins.add('dra', PLUGIN);
  const controller = createClaimController(context);
  const { handle } = kube;
  kube.handle = async (request) => {
    try {
      return await handle(request);
    } finally {
      if (request.method !== 'GET') controller.reconcile();
    }
  };
  const revive = (): void => {
    if (driver.isAlive) return;
    // A driver replaces a socket that is left.
    socket.close();
    driver.isAlive = true;
    socket.open();
  };
  const goOn = (): void => void (driver.isHanging = false);
  const answer = (): void => void (driver.answers = 'sound');
  /** Claims of the container that is created next, by pod and name. */
  const given = new Map<string, readonly string[]>();

  return {
    name: 'claims',
    modules: (life) => [
      dynamicResources({ connect: () => driver.connect(life) }),
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
      switch (step.trouble) {
        case 'dead':
          socket.close();
          driver.isAlive = false;
          later.add(step.ms, revive);
          break;
        case 'crashed':
          driver.isAlive = false;
          later.add(step.ms, revive);
          break;
        case 'hanging':
          driver.isHanging = true;
          later.add(step.ms, goOn);
          break;
        case 'failing':
        case 'losing':
          driver.answers = step.trouble === 'failing' ? 'failed' : 'lost';
          later.add(step.ms, answer);
      }
      return true;
    },
    podsChanged: controller.reconcile,
    powerOff() {
      const { isAlive } = driver;
      driver.isAlive = false;
      driver.loseState();
      driver.isAlive = isAlive;
    },
    end() {
      answer();
      goOn();
      revive();
    },
    differences: (pods, touched) => [
      ...pods.flatMap((pod) => unpreparedClaims(pod, node, driver, controller)),
      ...[...driver.prepared.keys()]
        .filter((claim) => !controller.users(claim).some((uid) => isUnfinished(cluster, uid) || touched.has(uid)))
        .map((claim) => `the claim ${claim} is prepared, and no pod uses it`),
      ...recordedUsers(node)
        .filter(([, uid]) => !isUnfinished(cluster, uid) && !touched.has(uid))
        .map(([claim, uid]) => `the agent records the claim ${claim} for ${uid}, which has ended`),
    ],
  };
}

/** Returns the claims of a running pod that are not prepared. */
function unpreparedClaims(
  pod: Pod,
  { fake }: TestNode,
  { prepared }: ClaimDriver,
  { claimOfPod }: ClaimController,
): readonly string[] {
  const claim = claimOfPod(pod);
  const runs = fake
    .snapshot()
    .containers.some(
      ({ labels, state }) => labels[PodLabel.podUid] === podUid(pod) && state === ContainerState.CONTAINER_RUNNING,
    );
  if (!runs || claim === undefined || prepared.has(claim)) return [];
  return [`${pod.metadata?.name ?? ''} ${podUid(pod)} runs, and its claim ${claim} is not prepared`];
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
