export { createPodProbeNetwork, type SimulatedPorts } from './pod-probe-network.ts';
export { createScriptedRunner, type ScriptedOutcome, type ScriptedRunner } from './scripted-runner.ts';
