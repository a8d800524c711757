-- What a kernel is built, run or shown with: words of a command, or what the user is asked for.

local M = {}

---Words such as `instance=2 n=64 device=1 simulator`, into the argument of a command.
---@param named table
---@param words string[]
---@return string? problem
function M.read(named, words)
  for _, word in ipairs(words) do
    local name, value = word:match('^([^=]+)=(.*)$')
    local number = tonumber(value or '')
    if word == 'simulator' then
      named.simulator = true
    elseif not number then
      return ('`%s` is none of instance=N, device=N, simulator, SIZE=N'):format(word)
    elseif name == 'instance' then
      named.instance = number
    elseif name == 'device' then
      named.device = number
    else
      named.sizes = named.sizes or {}
      named.sizes[name] = number
    end
  end
end

local function ask_sizes(names, take)
  if #names == 0 then
    return take({})
  end
  local prompt = ('NAME=NUMBER for %s: '):format(table.concat(names, ', '))
  vim.ui.input({ prompt = prompt }, function(text)
    if not text then
      return
    end
    local wanted = {}
    local problem = M.read(wanted, vim.split(text, '[%s,]+', { trimempty = true }))
    if problem then
      vim.notify(problem, vim.log.levels.WARN)
    else
      take(wanted.sizes or {})
    end
  end)
end

local function select(items, prompt, shown, take)
  if #items == 1 then
    return take(items[1])
  end
  vim.ui.select(items, { prompt = prompt, format_item = shown }, function(item)
    if item then
      take(item)
    end
  end)
end

---Asks one thing after the other; a question that is left unanswered ends it.
---@param client vim.lsp.Client
---@param named table
---@param bufnr integer
---@param run fun(command: string, argument: table)
function M.choose(client, named, bufnr, run)
  client:request('tl-ascend/choices', named, function(problem, choices)
    local why = problem and problem.message or choices.why
    if why ~= '' then
      vim.notify(why, vim.log.levels.WARN)
      return
    end
    local function instance_text(instance)
      return ('%s.%d  %s'):format(choices.name, instance.number, instance.text)
    end
    local function action_title(action)
      return action.title
    end
    select(choices.instances, 'Which instance?', instance_text, function(instance)
      select(choices.actions, 'What is to be done?', action_title, function(action)
        local names = action.command == 'tl-ascend.run' and choices.sizes or {}
        ask_sizes(names, function(sizes)
          local wanted = { uri = named.uri, name = choices.name, number = instance.number }
          wanted.sizes = next(sizes) and sizes or nil
          run(action.command, vim.tbl_extend('force', wanted, action.more or {}))
        end)
      end)
    end)
  end, bufnr)
end

return M
