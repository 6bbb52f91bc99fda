import type { RunVector } from '../vector-kind.ts';
import * as atomicWriter from './atomic-writer.ts';
import * as cgroups from './cgroups.ts';
import * as cpuManager from './cpu-manager.ts';
import * as criRequests from './cri-requests.ts';
import * as env from './env.ts';
import * as events from './events.ts';
import * as eviction from './eviction.ts';
import * as hostsFile from './hosts-file.ts';
import * as https from './https/index.ts';
import * as kubeletConfig from './kubelet-config.ts';
import * as logs from './logs.ts';
import * as memoryManager from './memory-manager.ts';
import * as metrics from './metrics/index.ts';
import * as mounts from './mounts.ts';
import * as nodeAdmission from './node-admission.ts';
import * as nodeApi from './node-api/index.ts';
import * as nodeStatus from './node-status.ts';
import * as podActions from './pod-actions.ts';
import * as podStatus from './pod-status.ts';
import * as primitives from './primitives.ts';
import * as qosCgroups from './qos-cgroups.ts';
import * as staticPodUids from './static-pod-uids.ts';
import * as staticPods from './static-pods.ts';
import * as statsSummary from './stats-summary.ts';
import * as topologyManager from './topology-manager.ts';
import * as volumePayloads from './volume-payloads.ts';

/** The kinds of vectors that can be run, by the name of their file. */
export const vectorKinds: ReadonlyMap<string, RunVector> = new Map<string, RunVector>([
  ['atomic-writer', atomicWriter.run],
  ['cgroups', cgroups.run],
  ['cpu-manager', cpuManager.run],
  ['cri-requests', criRequests.run],
  ['env', env.run],
  ['events', events.run],
  ['eviction', eviction.run],
  ['hosts-file', hostsFile.run],
  ['https', https.run],
  ['kubelet-config', kubeletConfig.run],
  ['logs', logs.run],
  ['memory-manager', memoryManager.run],
  ['metrics', metrics.run],
  ['mounts', mounts.run],
  ['node-admission', nodeAdmission.run],
  ['node-api', nodeApi.run],
  ['node-status', nodeStatus.run],
  ['pod-actions', podActions.run],
  ['pod-status', podStatus.run],
  ['primitives', primitives.run],
  ['qos-cgroups', qosCgroups.run],
  ['static-pod-uids', staticPodUids.run],
  ['static-pods', staticPods.run],
  ['stats-summary', statsSummary.run],
  ['topology-manager', topologyManager.run],
  ['volume-payloads', volumePayloads.run],
]);
