import type { Choices } from '../workload/choices.ts';
import type { PodExtras } from '../workload/part-steps.ts';
import type { PartContext, PartKind, WorldPart } from './world-part.ts';

/** Duration of a pull from a slow registry. */
const SLOW_MS = 20_000;

const extras = (choose: Choices): PodExtras => (choose.chance(0.5) ? { pullsAlways: true } : {});

/** A registry that is away or slow for a while, and pods whose images are pulled at each start. */
export const registryPart: PartKind = {
  name: 'registry',
  steps: 4,
  make: (choose) => ({
    do: 'registry',
    trouble: choose.pick(['away', 'away', 'slow']),
    ms: choose.pick([choose.integer(1, 5_000), choose.integer(1_000, 60_000), choose.integer(60_000, 300_000)]),
  }),
  extras,
  staticExtras: extras,
  create: createRegistry,
};

function createRegistry({ cluster, history }: PartContext): WorldPart {
  const { fake } = cluster.node;
  const { pullImage } = fake.images;
  fake.images.pullImage = async (request, options) => {
    const uid = request.sandboxConfig?.metadata?.uid ?? '';
    const image = request.image?.image ?? '';
    const add = (change: 'begun' | 'done' | 'failed'): void => history.add({ kind: 'pull', change, uid, image });
    add('begun');
    try {
      const answer = await pullImage(request, options);
      add('done');
      return answer;
    } catch (error) {
      add('failed');
      throw error;
    }
  };
  let trouble = 0;
  return {
    name: 'registry',
    run(step, later) {
      if (step.do !== 'registry') return false;
      trouble += 1;
      const number = trouble;
      const action = step.trouble === 'away' ? 'error(unavailable: the registry is away)' : `delay(${String(SLOW_MS)})`;
      fake.setFailpoint('pullImage', action);
      later.add(step.ms, () => {
        if (number === trouble) fake.clearFailpoints('pullImage');
      });
      return true;
    },
    end: () => fake.clearFailpoints('pullImage'),
  };
}
