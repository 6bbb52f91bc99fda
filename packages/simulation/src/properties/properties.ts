import { allocationsFit } from './allocations.ts';
import { damagedAssignmentsStopAgent } from './assignments.ts';
import { backOffKept } from './back-off.ts';
import { callsAreBounded, gracePeriodsGiven, quietAtRest } from './calls.ts';
import { claimDevicesExclusive, claimsKeptWhileUsed, claimsPreparedAtStart, claimsUnpreparedAtEnd } from './claims.ts';
import { healthyContainersRun, noStartAfterTermination, risingAttempts, singleInstances } from './container-lives.ts';
import { cpusKept } from './cpus.ts';
import { deadlinesKept } from './deadlines.ts';
import { debugContainersRunOnce } from './debug-containers.ts';
import { devicesGivenOnce } from './devices.ts';
import { endedForAReason, rejectedForAReason } from './ends.ts';
import { actsOnOwnPods, soundNodesArePrompt, writesOwnPods } from './nodes.ts';
import { memoryKept } from './memory.ts';
import { pullsBackOff } from './pulls.ts';
import { evictedUnderPressure, pressureReported } from './pressure.ts';
import { probesHaveEffect } from './probes.ts';
import type { Property } from './property.ts';
import { allContainersRestart } from './restart-rules.ts';
import { confirmedAfterExit, risingRestartCounts, terminalPhasesStay } from './statuses.ts';

/** The properties of every run. */
export const PROPERTIES: readonly Property[] = [
  singleInstances,
  noStartAfterTermination,
  risingAttempts,
  healthyContainersRun,
  risingRestartCounts,
  terminalPhasesStay,
  confirmedAfterExit,
  backOffKept,
  gracePeriodsGiven,
  callsAreBounded,
  quietAtRest,
  allocationsFit,
  devicesGivenOnce,
  cpusKept,
  memoryKept,
  damagedAssignmentsStopAgent,
  claimsPreparedAtStart,
  claimsKeptWhileUsed,
  claimsUnpreparedAtEnd,
  claimDevicesExclusive,
  endedForAReason,
  rejectedForAReason,
  evictedUnderPressure,
  pressureReported,
  probesHaveEffect,
  deadlinesKept,
  debugContainersRunOnce,
  allContainersRestart,
  pullsBackOff,
  actsOnOwnPods,
  writesOwnPods,
  soundNodesArePrompt,
];
