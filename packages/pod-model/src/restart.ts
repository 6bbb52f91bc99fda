export {
  allContainersCouldRestart,
  containerShouldRestart,
  effectiveRestartPolicy,
  isContainerRestartable,
  matchesRestartAllRule,
  type RestartableContainer,
  shouldAllContainersRestart,
  shouldContainerBeRestarted,
} from './restart-policy.ts';
