export {
  type GarbageCollectionStep,
  garbageCollectionSteps,
  type HousekeepingContext,
  type HousekeepingStep,
  housekeepingSteps,
} from './core-collections.ts';
