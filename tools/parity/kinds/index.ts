import type { RunVector } from '../vector-kind.ts';
import * as cgroups from './cgroups.ts';
import * as criRequests from './cri-requests.ts';
import * as events from './events.ts';
import * as logs from './logs.ts';
import * as podActions from './pod-actions.ts';
import * as podStatus from './pod-status.ts';
import * as primitives from './primitives.ts';
import * as staticPods from './static-pods.ts';

/** The kinds of vectors that can be run, by the name of their file. */
export const vectorKinds: ReadonlyMap<string, RunVector> = new Map<string, RunVector>([
  ['cgroups', cgroups.run],
  ['cri-requests', criRequests.run],
  ['events', events.run],
  ['logs', logs.run],
  ['pod-actions', podActions.run],
  ['pod-status', podStatus.run],
  ['primitives', primitives.run],
  ['static-pods', staticPods.run],
]);
