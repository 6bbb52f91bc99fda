/** Returns the sources and the README of a new package that offers a module of the agent, content by path below its folder: ready to be replaced. */
export function moduleFiles(name: string, description: string): Map<string, string> {
  const pascal = name.replace(/(^|-)(\w)/g, (_, _dash: string, letter: string) => letter.toUpperCase());
  const camel = pascal[0]!.toLowerCase() + pascal.slice(1);
  return new Map([
    ['README.md', readme(name, camel, description)],
    ['src/index.ts', `export { ${camel}, type ${pascal}Options } from './${name}-module.ts';\n`],
    [`src/${name}-module.ts`, moduleSource(name, camel, pascal)],
    [`src/${name}-module.test.ts`, moduleTest(name, camel)],
    ['src/configuration.ts', configuration(name, camel, pascal)],
    ['src/configuration.test.ts', configurationTest(camel)],
  ]);
}

function readme(name: string, camel: string, description: string): string {
  return `# @rxlet/${name}

${description}

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
`;
}

function moduleSource(name: string, camel: string, pascal: string): string {
  return `import { admissionHandlers, type AgentModule, contribute, debugSections } from '@rxlet/agent-api';

/** Options of {@link ${camel}}. */
export interface ${pascal}Options {
  /** Largest number of active pods. Default: 110. */
  readonly maxPods?: number | undefined;
  /** Whether pods beyond the number are admitted, and only counted. Default: false. */
  readonly isDryRun?: boolean | undefined;
}

/** Creates the agent module that rejects pods beyond a number. */
export function ${camel}({ maxPods = 110, isDryRun = false }: ${pascal}Options = {}): AgentModule {
  return {
    name: '${name}',
    setup({ core }) {
      let exceeded = 0;
      return {
        contributions: [
          contribute(admissionHandlers, {
            name: '${name}',
            admit(_pod, activePods) {
              if (activePods().length < maxPods) return undefined;
              exceeded += 1;
              const message = \`the node runs \${String(maxPods)} pods at most\`;
              return isDryRun ? undefined : { reason: 'OutOfpods', message };
            },
          }),
          contribute(debugSections, {
            name: '${camel}',
            inspect: () => ({ activePods: core.activePods().length, maxPods, exceeded }),
          }),
        ],
      };
    },
  };
}
`;
}

function moduleTest(name: string, camel: string): string {
  return `import { admissionHandlers, type ModuleContext } from '@rxlet/agent-api';
import { contributionsTo } from '@rxlet/agent-api/testing';
import { describe, expect, it } from 'vitest';
import { ${camel} } from './${name}-module.ts';

/** Returns whether the module rejects a pod beside \`active\` others. */
async function rejects(active: number, options: Parameters<typeof ${camel}>[0]): Promise<boolean> {
  const parts = ${camel}(options).setup({} as ModuleContext);
  const [handler] = contributionsTo(parts, admissionHandlers);
  const pods = Array.from({ length: active }, () => ({}));
  return (await handler!.admit({}, () => pods, new AbortController().signal)) !== undefined;
}

describe('${camel}', () => {
  it('rejects pods beyond the number', async () => {
    expect([await rejects(1, { maxPods: 2 }), await rejects(2, { maxPods: 2 })]).toEqual([false, true]);
  });

  it('only counts them in a dry run', async () => {
    expect(await rejects(2, { maxPods: 2, isDryRun: true })).toBe(false);
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
  return `import type { SettingLookup } from '@rxlet/agent-api/configuration';
import { createNodeConfiguration } from '@rxlet/agent-api/testing';
import { describe, expect, it } from 'vitest';
import { ${camel}Configuration } from './configuration.ts';

describe('${camel}Configuration', () => {
  it('passes on the field and the setting', () => {
    const settings = { get: () => true } as unknown as SettingLookup;
    const node = createNodeConfiguration({ configuration: { maxPods: 7 }, settings });
    expect(${camel}Configuration.options?.(node)).toEqual({ maxPods: 7, isDryRun: true });
  });
});
`;
}
