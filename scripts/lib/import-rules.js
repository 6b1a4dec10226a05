/**
 * Who may import whom, as data: the arrows of the architecture. `packages/*` and the folders of core are the boxes.
 * A new package or folder of core needs a line here before it can import anything.
 */

/** Core's folders (its `index.ts` is `index`) and the folders that each may import besides itself. */
export const CORE_LAYERS = {
  contract: [],
  run: ['contract'],
  ports: ['contract'],
  storage: ['contract'],
  executor: ['run', 'ports', 'contract'],
  agent: ['executor', 'run', 'ports', 'contract'],
  index: ['agent', 'executor', 'run', 'ports', 'storage', 'contract'],
  testing: ['index', 'agent', 'executor', 'run', 'ports', 'contract'],
  node: ['ports', 'contract'],
};

/** The only folder of core that may use Node; the rest runs in Workers, Deno, Bun and browsers too. */
export const NODE_LAYER = 'node';

/** Packages of which core may import types. */
export const CORE_TYPE_PACKAGES = ['@standard-schema/spec'];

/** The first rule whose `package` matches holds: which of our own packages may be imported, by name. */
export const PACKAGE_RULES = [
  {
    package: /^store-/,
    siblings: /^@lousho\/core\/(contract|node)$/,
    says: 'a store imports @lousho/core/contract and @lousho/core/node only',
  },
  {
    package: /^ai-sdk$/,
    siblings: /^@lousho\/core(\/contract)?$/,
    says: 'ai-sdk imports @lousho/core and knows no store',
  },
  {
    package: /^telemetry$/,
    siblings: /^@lousho\/core$/,
    says: 'telemetry imports @lousho/core and knows no store',
  },
  {
    package: /^conformance$/,
    siblings: /^@lousho\/core(\/(contract|executor|testing|node))?$/,
    says: 'conformance imports the public entries of @lousho/core and knows no store',
  },
  {
    package: /^create-lousho$/,
    siblings: /^$/,
    says: 'create-lousho copies a template and imports none of our packages',
  },
  {
    package: /^test-backends$/,
    siblings: /^$/,
    says: 'test-backends starts servers and knows none of our packages',
  },
  { package: /^integration$/, siblings: /^@lousho\//, says: 'integration imports our packages by name' },
];
