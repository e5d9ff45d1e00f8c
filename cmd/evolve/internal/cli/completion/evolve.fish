# fish completion for evolve. The program itself knows the candidates.

function __evolve_candidates
    set -l words (commandline -opc) (commandline -ct)
    for line in (command evolve __complete $words[2..-1] 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path (string replace -r -- '^--[^=]*=' '' $words[-1])
            case ':folders'
                __fish_complete_directories (string replace -r -- '^--[^=]*=' '' $words[-1])
            case ':*'
            case '*'
                echo $line
        end
    end
end

complete -c evolve -f -a '(__evolve_candidates)'
