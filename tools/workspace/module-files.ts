import { sentence } from './sentence.ts';

/** Returns the sources and the README of a new package that offers a module of the agent, content by path below its folder: ready to be replaced. */
export function moduleFiles(name: string, description: string): Map<string, string> {
  const pascal = name.replace(/(^|-)(\w)/g, (_, _dash: string, letter: string) => letter.toUpperCase());
  const camel = pascal[0]!.toLowerCase() + pascal.slice(1);
  return new Map([
    ['README.md', readme(name, camel, description)],
    ['src/index.ts', `export { ${camel}, type ${pascal}Options } from './${name}-module.ts';\n`],
    [`src/${name}-module.ts`, moduleSource(name, camel, pascal)],
    [`src/${name}-module.test.ts`, moduleTest(name, camel, pascal)],
    ['src/configuration.ts', configuration(name, camel, pascal)],
    ['src/configuration.test.ts', configurationTest(camel)],
  ]);
}

function readme(name: string, camel: string, description: string): string {
  return `# @rxlet/${name}

${sentence(description)}

\`\`\`sh
npm install @rxlet/${name}
\`\`\`

\`\`\`ts
import { ${camel} } from '@rxlet/${name}';

// One of the modules of createAgent.
const module = ${camel}({ maxPods: 3 });
console.log(module.name);
\`\`\`

\`\`\`text
${name}
\`\`\`

The agent module \`${camel}()\` rejects pods beyond a number. \`@rxlet/${name}/configuration\` has its configuration for the presets of [@rxlet/kubelet](../kubelet): the field
\`maxPods\` and the flag \`--${name}-dry-run\`.
`;
}

function moduleSource(name: string, camel: string, pascal: string): string {
  return `import { admissionHandlers, type AgentModule, contribute, debugSections, podSteps } from '@rxlet/agent-api';
import { podUid } from '@rxlet/pod-model';

/** Options of {@link ${camel}}. */
export interface ${pascal}Options {
  /** Largest number of active pods. Default: 110. */
  readonly maxPods?: number | undefined;
  /** Whether pods beyond the number are admitted, and only counted. Default: false. */
  readonly isDryRun?: boolean | undefined;
}

/** Creates the agent module that rejects pods beyond a number, and counts those for which the node is prepared. */
export function ${camel}({ maxPods = 110, isDryRun = false }: ${pascal}Options = {}): AgentModule {
  return {
    name: '${name}',
    setup({ core }) {
      let exceeded = 0;
      const preparedUids = new Set<string>();
      return {
        contributions: [
          contribute(admissionHandlers, {
            name: '${name}',
            admit(_pod, others) {
              if (others.count < maxPods) return undefined;
              exceeded += 1;
              const message = \`the node runs \${String(maxPods)} pods at most\`;
              return isDryRun ? undefined : { reason: 'OutOfpods', message };
            },
          }),
          contribute(podSteps, {
            name: '${name}',
            prepare: (pod) => void preparedUids.add(podUid(pod)),
            tearDown: ({ uid }) => void preparedUids.delete(uid),
          }),
          contribute(debugSections, {
            name: '${camel}',
            inspect: () => ({ activePods: core.activePods().length, preparedPods: preparedUids.size, maxPods, exceeded }),
          }),
        ],
      };
    },
  };
}
`;
}

function moduleTest(name: string, camel: string, pascal: string): string {
  return `import { admissionHandlers, debugSections, otherPods, podSteps } from '@rxlet/agent-api';
import { contributionsTo, createModuleContext } from '@rxlet/agent-api/testing';
import type { Pod } from '@rxlet/kube-api';
import { emptyRuntimePodStatus } from '@rxlet/pod-model/runtime';
import { describe, expect, it } from 'vitest';
import { ${camel}, type ${pascal}Options } from './${name}-module.ts';

/** Sets the module up beside \`active\` other pods, and returns what it contributes. */
function setUp(options: ${pascal}Options, active = 0) {
  const pods: readonly Pod[] = Array.from({ length: active }, () => ({}));
  const parts = ${camel}(options).setup(createModuleContext({ core: { activePods: () => pods } }));
  const [handler] = contributionsTo(parts, admissionHandlers);
  const [step] = contributionsTo(parts, podSteps);
  const [section] = contributionsTo(parts, debugSections);
  const { signal } = new AbortController();
  return {
    admit: () => handler!.admit({}, otherPods(pods), signal),
    prepare: (uid: string) => step!.prepare!({ metadata: { uid } }, signal),
    tearDown: (uid: string) => step!.tearDown!({ uid, status: emptyRuntimePodStatus(uid) }, signal),
    inspect: () => section!.inspect(),
  };
}

describe('${camel}', () => {
  it('rejects pods beyond the number', async () => {
    expect(await setUp({ maxPods: 2 }, 1).admit()).toBeUndefined();
    expect(await setUp({ maxPods: 2 }, 2).admit()).toMatchObject({ reason: 'OutOfpods' });
  });

  it('only counts them in a dry run', async () => {
    const { admit, inspect } = setUp({ maxPods: 2, isDryRun: true }, 2);
    expect(await admit()).toBeUndefined();
    expect(inspect()).toMatchObject({ exceeded: 1 });
  });

  it('shows the pods for which the node is prepared', async () => {
    const { prepare, tearDown, inspect } = setUp({});
    await prepare('1');
    expect(inspect()).toMatchObject({ preparedPods: 1 });
    await tearDown('1');
    expect(inspect()).toMatchObject({ preparedPods: 0 });
  });
});
`;
}

function configuration(name: string, camel: string, pascal: string): string {
  return `import { type ModuleConfiguration, switchSetting } from '@rxlet/agent-api/configuration';
import { ${camel}, type ${pascal}Options } from './${name}-module.ts';

/** Setting of the module, with the flag \`--${name}-dry-run\`: an option that a kubelet does not have. */
const ${camel}DryRun = switchSetting('${camel}DryRun', 'count pods beyond the number of ${name}, and admit them');

/** Configuration of the module \`${camel}\`: the fields and settings that take effect by it, and the options that they mean. */
export const ${camel}Configuration: ModuleConfiguration<${pascal}Options> = {
  name: '${name}',
  fields: ['maxPods'],
  settings: [${camel}DryRun],
  defaults: {},
  options: ({ configuration: { maxPods }, settings }) => ({ maxPods, isDryRun: settings.get(${camel}DryRun) }),
  module: ${camel},
};
`;
}

function configurationTest(camel: string): string {
  return `import { createNodeConfiguration, settingValues } from '@rxlet/agent-api/testing';
import { describe, expect, it } from 'vitest';
import { ${camel}Configuration } from './configuration.ts';

describe('${camel}Configuration', () => {
  it('passes on the field and the setting', () => {
    const settings = settingValues({ ${camel}DryRun: true });
    const node = createNodeConfiguration({ configuration: { maxPods: 7 }, settings });
    expect(${camel}Configuration.options?.(node)).toEqual({ maxPods: 7, isDryRun: true });
  });
});
`;
}
