import { expected } from '../contract/index.js';
import { defineSkill, type Skill, type StandardSchema, type Tool } from '../ports/index.js';

/** The built-in tool by which the model reads a skill; none where there are no skills. */
export function loadSkillTool(skills: readonly Skill[] = []): readonly Tool[] {
  if (!Array.isArray(skills)) throw expected('skills', 'an array', skills);
  const byName = new Map<string, Skill>();
  for (const skill of skills.map(defineSkill)) {
    if (byName.has(skill.name)) throw expected('skills', 'skills of different names', skill.name);
    byName.set(skill.name, skill);
  }
  return byName.size === 0 ? [] : [toolFor(byName)];
}

function toolFor(skills: ReadonlyMap<string, Skill>): Tool {
  const list = [...skills.values()].map(({ name, description }) => `- ${name}: ${description}`);
  return {
    name: 'load_skill',
    description: [
      'Read the instructions for a kind of task before you begin with it. There are:',
      ...list,
    ].join('\n'),
    isTransient: true,
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', enum: [...skills.keys()] } },
      required: ['name'],
      additionalProperties: false,
    },
    input: nameSchema(skills),
    execute: (args) => skills.get((args as { name: string }).name)?.content,
  };
}

function nameSchema(skills: ReadonlyMap<string, Skill>): StandardSchema<unknown, { name: string }> {
  return {
    '~standard': {
      version: 1,
      vendor: 'lousho',
      validate: (value) => {
        const { name } = (value ?? {}) as { name?: unknown };
        if (typeof name === 'string' && skills.has(name)) return { value: { name } };
        return { issues: [{ message: `Expected one of ${[...skills.keys()].join(', ')}`, path: ['name'] }] };
      },
    },
  };
}
