import type { PartKind } from './world-part.ts';
import { claimsPart } from './claims-part.ts';
import { cpusPart } from './cpus-part.ts';
import { deadlinesPart } from './deadlines-part.ts';
import { debugPart } from './debug-part.ts';
import { devicesPart } from './devices-part.ts';
import { memoryPart } from './memory-part.ts';
import { probesPart } from './probes-part.ts';
import { pressurePart } from './pressure-part.ts';
import { registryPart } from './registry-part.ts';
import { restartRulesPart } from './restart-rules-part.ts';
import { shutdownPart } from './shutdown-part.ts';
import { resizePart } from './resize-part.ts';

/** All kinds of parts. */
export const PART_KINDS: readonly PartKind[] = [
  resizePart,
  pressurePart,
  shutdownPart,
  devicesPart,
  cpusPart,
  memoryPart,
  claimsPart,
  probesPart,
  deadlinesPart,
  debugPart,
  restartRulesPart,
  registryPart,
];
